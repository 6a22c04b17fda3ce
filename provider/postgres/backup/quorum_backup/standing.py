"""What metrics tell of the backups in the repository."""


def take(metrics, info):
    """What the repository has."""
    full, last = info.newest("full"), info.newest()
    metrics.set("last_success_timestamp_seconds", full and full["timestamp"]["stop"], type="full")
    metrics.set("last_success_timestamp_seconds", last and last["timestamp"]["stop"], type="any")
    metrics.set("size_bytes", last and last["info"]["size"])
    metrics.set("repository_bytes", last and last["info"]["repository"]["size"])
    metrics.set("restorable_from_timestamp_seconds", info.first_end())
    verified, drill = info.verified(), info.drill()
    metrics.set("verified_timestamp_seconds", verified)
    metrics.set("drill_last_success_timestamp_seconds", drill and drill["time"])
    metrics.set("drill_duration_seconds", drill and drill["seconds"])
    metrics.set("drill_restored_to_timestamp_seconds", drill and drill["to"])
