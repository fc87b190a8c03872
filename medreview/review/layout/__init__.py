"""Line wrapping of texts for the screen: ``wrap`` for long texts, with the columns of ``tables`` aligned; ``prose`` for
short ones.

``cells`` measures text in terminal cells.
"""
