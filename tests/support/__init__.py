"""What tests share, by room: nothing here is a test, and nothing here is a fixture.

``study_builder``   a builder of study files, row by row, with a default for every column
``http_server``     a web server on this machine that answers as a test says, and remembers what it was asked
``hostile_server``  a server below HTTP: bytes as they are, connections that stay, certificates of nobody
``judge_endpoint``  an endpoint of a model: answers by turn or by prompt
``commands``        the program: in this process, in one of its own, or under way
``terminal``        a program under a pseudo-terminal, and the screen it draws
``examples``        the examples of a Markdown file, run as they stand there
``awkward_study``   a study in which it is hard to say which judgements are votes
``awkward_votes``   what is right on it
``workbench``       the workbench in this process: what stands on the screen, keys
"""
