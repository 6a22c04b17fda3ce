# Runs the program in the current directory, as Pulumi's host for Python does.
import asyncio
import os
import runpy
import sys

import pulumi
from pulumi.runtime import Settings, configure, run_in_stack

sys.path.insert(0, os.getcwd())
configure(
    Settings(
        organization=os.environ["PULUMI_ORGANIZATION"],
        project=os.environ["PULUMI_PROJECT"],
        stack=os.environ["PULUMI_STACK"],
        monitor=os.environ["PULUMI_MONITOR"],
        engine=os.environ["PULUMI_ENGINE"],
        parallel=int(os.environ["PULUMI_PARALLEL"]),
        dry_run=os.environ["PULUMI_DRY_RUN"] == "true",
    )
)

try:
    asyncio.run(run_in_stack(lambda: runpy.run_path("__main__.py", run_name="__main__")))
except pulumi.RunError as problem:
    pulumi.log.error(str(problem))
    sys.exit(32)
