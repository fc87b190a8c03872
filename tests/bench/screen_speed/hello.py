"""The smallest Textual application that answers a key: what the workbench is compared with."""

from typing import ClassVar

from textual.app import App, ComposeResult
from textual.widgets import Static


class Hello(App[None]):
    """Counts the presses of j."""

    BINDINGS: ClassVar = [("j", "count", "count")]
    presses = 0

    def compose(self) -> ComposeResult:
        yield Static("READY, pressed 0 times")

    def action_count(self) -> None:
        self.presses += 1
        self.query_one(Static).update(f"READY, pressed {self.presses} times")


if __name__ == "__main__":
    Hello().run()
