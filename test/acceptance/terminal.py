"""Runs a program in a pseudo-terminal of 40 by TERMINAL_COLUMNS (else 120): what comes on stdin is typed, what it shows goes to stdout.

Usage: python3 terminal.py PROGRAM [ARGUMENT...]   Ends with the program's own status.
"""
import fcntl, os, pty, select, struct, sys, termios

columns = int(os.environ.get("TERMINAL_COLUMNS", "120"))
pid, screen = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 40, int(os.environ.get("TERMINAL_COLUMNS", 120)), 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])

open_ends = [screen, 0]
while screen in open_ends:
    for end in select.select(open_ends, [], [])[0]:
        try:
            data = os.read(end, 65536)
        except OSError:  # Linux says so when the program has closed its side.
            data = b""
        if not data:
            open_ends.remove(end)
        elif end == screen:
            os.write(1, data)
        else:
            os.write(screen, data)

status = os.waitpid(pid, 0)[1]
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
