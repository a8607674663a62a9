"""All cases, in the order in which they run."""
from cases import usage_cases  # noqa: F401
from cases import running_cases  # noqa: F401
from cases import streams_cases  # noqa: F401
from cases import terminal_cases  # noqa: F401
from cases import ending_cases  # noqa: F401
from cases import killing_cases  # noqa: F401
from cases import meeting_cases  # noqa: F401
from cases import engine_cases  # noqa: F401
from cases import blocked_cases  # noqa: F401
from cases import hang_cases  # noqa: F401
from cases import placing_cases  # noqa: F401
from cases import completion_cases  # noqa: F401
from cases import info_cases  # noqa: F401
from cases import explain_cases  # noqa: F401
from cases import sim_cases  # noqa: F401
from cases import plot_cases  # noqa: F401
from cases import report_cases  # noqa: F401
