"""All cases, in the order in which they run."""
import usage_cases  # noqa: F401
import running_cases  # noqa: F401
import streams_cases  # noqa: F401
import terminal_cases  # noqa: F401
import ending_cases  # noqa: F401
import killing_cases  # noqa: F401
import meeting_cases  # noqa: F401
import engine_cases  # noqa: F401
import blocked_cases  # noqa: F401
import hang_cases  # noqa: F401
import placing_cases  # noqa: F401
import completion_cases  # noqa: F401
import info_cases  # noqa: F401
import explain_cases  # noqa: F401
import sim_cases  # noqa: F401
import plot_cases  # noqa: F401
import report_cases  # noqa: F401
