"""From one cell to the next, in as few bytes as it takes."""


def move(row: int, column: int, from_row: int, from_column: int) -> str:
    """The shortest sequence to a cell; all are counted from 0, and -1 is where nobody knows."""
    if row != from_row:
        ways = [_absolute(row, column)]
        if from_row >= 0 and column == from_column:
            ways.append(_steps(row - from_row, "B", "A"))
        if row == from_row + 1 and from_row >= 0 and not column:
            ways.append("\r\n")
        return min(ways, key=len)
    if not column:
        return "\r"
    to_column = f"\x1b[{column + 1}G"
    if from_column < 0:
        return to_column
    if 0 < from_column - column <= 3:
        return "\b" * (from_column - column)
    steps = _steps(column - from_column, "C", "D")
    return steps if len(steps) < len(to_column) else to_column


def _absolute(row: int, column: int) -> str:
    line = str(row + 1) if row else ""
    return f"\x1b[{line};{column + 1}H" if column else f"\x1b[{line}H"


def _steps(count: int, forward: str, back: str) -> str:
    if not count:
        return ""
    return f"\x1b[{abs(count) if abs(count) > 1 else ''}{forward if count > 0 else back}"
