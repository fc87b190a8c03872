"""From one cell to the next, in as few bytes as it takes."""


def move(row: int, column: int, from_row: int, from_column: int) -> str:
    """The shortest sequence to a cell; all are counted from 0, and -1 is where nobody knows."""
    ways = [_absolute(row, column)]
    if row == from_row:
        ways.append("\r" if not column else f"\x1b[{column + 1}G")
        if from_column >= 0:
            ways.append(_steps(column - from_column, "C", "D"))
            if 0 < from_column - column <= 3:
                ways.append("\b" * (from_column - column))
    elif from_row >= 0:
        if column == from_column:
            ways.append(_steps(row - from_row, "B", "A"))
        if row == from_row + 1 and not column:
            ways.append("\r\n")
    return min(ways, key=len)


def _absolute(row: int, column: int) -> str:
    line = str(row + 1) if row else ""
    return f"\x1b[{line};{column + 1}H" if column else f"\x1b[{line}H"


def _steps(count: int, forward: str, back: str) -> str:
    if not count:
        return ""
    return f"\x1b[{abs(count) if abs(count) > 1 else ''}{forward if count > 0 else back}"
