import sys

from experiments.bias.run import finish, main

if __name__ == "__main__":
    finish() if "--again" in sys.argv else main()
