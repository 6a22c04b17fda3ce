"""What tests of bad days have in common."""
import os
import unittest

from quorum_upgrade.data import version
from world import World

ROW = "/a-row-that-was-acknowledged"


class Days(unittest.TestCase):
    def setUp(self):
        self.world = World(self)

    def turns(self, number):
        for _ in range(number):
            self.world.turn()

    def while_away(self, name, turns, then=lambda: None, leader_after=30):
        """What the others do while a node does nothing; its keys in etcd expire."""
        world, machine = self.world, self.world.machines[name]
        machine.turn, turn = (lambda: None), machine.turn
        for number in range(turns):
            if number == leader_after:
                world.etcd.members = [member for member in world.etcd.members if member != name]
                world.etcd.leader = "" if world.etcd.leader == name else world.etcd.leader
            world.turn()
        then()
        del machine.turn
        return turn

    def write(self, *names):
        for name in names:
            with open(self.world.machines[name].data.directory + ROW, "w", encoding="utf-8"):
                pass

    def have_row(self, name):
        data = self.world.machines[name].data
        return os.path.exists(data.directory + ROW)

    def all_are(self, major):
        self.assertEqual({name: version(machine.data.directory) for name, machine in self.world.machines.items()}, dict.fromkeys(self.world.machines, major))
        self.assertTrue(all(machine.data.up for machine in self.world.machines.values()))

    def restarts(self, name):
        """What the node starts with after a boot."""
        machine = self.world.machines[name]
        machine.cut()
        machine.back()
        return machine.hold.look()
