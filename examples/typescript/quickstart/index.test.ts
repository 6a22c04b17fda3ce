// Shows how a program with clusters can be tested without an engine, a
// hypervisor or the provider.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as pulumi from "@pulumi/pulumi";

// The inputs of what the program makes, by name.
const made: Record<string, any> = {};

pulumi.runtime.setMocks({
    newResource(args) {
        made[args.name] = args.inputs;
        return { id: `${args.name}-id`, state: args.inputs };
    },
    call: args => args.inputs,
}, "project", "stack");

// As in Pulumi.yaml.
pulumi.runtime.setAllConfig({
    "project:pool": "default",
    "project:baseVolume": "debian-13.qcow2",
    "project:network": "default",
    "project:subnet": "192.168.122",
    "project:domainType": "kvm",
    "project:vcpus": "2",
    "project:memory": "2048",
    "project:installDependencies": "true",
    "project:sshPublicKey": "ssh-ed25519 AAAA",
});

test("members have addresses of their own", async () => {
    const outputs = await pulumi.runtime.runInPulumiStack(async () => (await import("./index")).default());
    assert.ok(outputs);
    const addresses = made.etcd.members.map((member: any) => member.ip);
    assert.equal(new Set(addresses).size, 3);
});
