"""Tables 2–4 of the paper: joint adaptation networks with MMD and with RJSD."""
