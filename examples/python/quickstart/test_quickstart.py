"""Shows how a program with clusters can be tested without an engine, a
hypervisor or the provider."""

import unittest
from typing import Any

import pulumi
from pulumi.runtime.mocks import MockCallArgs, MockResourceArgs

from quickstart import quickstart

# The inputs of what the program makes, by name.
made: dict[str, Any] = {}


class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args: MockResourceArgs) -> tuple[str, dict[str, Any]]:
        made[args.name] = args.inputs
        return f"{args.name}-id", args.inputs

    def call(
        self, args: MockCallArgs
    ) -> tuple[dict[Any, Any], list[tuple[str, str]] | None]:
        return {}, None


pulumi.runtime.set_mocks(Mocks(), project="project", stack="stack")
pulumi.runtime.set_all_config(  # as in Pulumi.yaml
    {
        "project:pool": "default",
        "project:baseVolume": "debian-13.qcow2",
        "project:network": "default",
        "project:subnet": "192.168.122",
        "project:domainType": "kvm",
        "project:vcpus": "2",
        "project:memory": "2048",
        "project:installDependencies": "true",
        "project:sshPublicKey": "ssh-ed25519 AAAA",
    }
)


class Quickstart(unittest.TestCase):
    @pulumi.runtime.test
    def test_members_have_addresses_of_their_own(self) -> Any:
        def check(_: Any) -> None:
            members = made["etcd"]["members"]
            addresses = {m["ip"] for m in members}
            self.assertEqual(len(addresses), 3)

        return quickstart().urn.apply(check)


if __name__ == "__main__":
    unittest.main()
