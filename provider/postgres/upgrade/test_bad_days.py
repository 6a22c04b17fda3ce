"""What goes wrong while all are stopped, or with what was asked for: nothing is lost that was acknowledged, and none waits for ever."""
import os
import shutil
import unittest

from days import Days
from quorum_upgrade import forward
from world import NEW, OLD, World


class BadDays(Days):
    def test_a_stop_that_takes_longer_than_others_wait(self):
        world = self.world
        world.order("run")
        world.until("stopping")
        data = world.machines["a"].data

        def stop():
            self.while_away("a", 220, lambda: self.write("b", "c"))
            data.up = False
        data.stop = stop
        world.machines["a"].turn()
        del data.stop
        self.assertEqual((world.stage, world.etcd.leader), ("refused", "b"))
        self.turns(300)
        self.assertEqual((world.stage, world.etcd.leader), ("refused", "b"))
        self.assertTrue(self.have_row("b") and self.have_row("c"))
        self.all_are(OLD)

    def test_a_leader_that_freezes_before_the_new_data_are_in_force(self):
        world = self.world
        world.order("run")
        world.until("upgraded")
        data, asked = world.machines["a"].data, []

        def frozen(directory=None):
            if not asked:
                asked.append(True)
                self.while_away("a", 260, lambda: self.write("b", "c"))
            return type(data).control(data, directory)
        data.exchange, exchange = (lambda *versions: (exchange(*versions), frozen())), data.exchange
        world.machines["a"].turn()
        self.assertEqual((world.stage, world.etcd.initialize), ("refused", "id-15"))
        del data.exchange
        self.turns(300)
        self.assertEqual((world.stage, world.etcd.initialize, world.etcd.leader), ("refused", "id-15", "b"))
        self.assertTrue(self.have_row("b"))
        self.all_are(OLD)

    def test_who_led_meanwhile_is_not_taken_for_a_replica(self):
        world = self.world
        world.machines["c"].data.timeline = 2
        world.order("run")
        self.assertIn("led after a", world.until("refused")["problems"][0])
        self.turns(10)
        self.all_are(OLD)

    def test_a_version_before_that_is_not_that_of_the_data(self):
        for action in ("check", "run"):
            with self.subTest(action=action):
                world = self.world = World(self)
                for machine in world.machines.values():
                    machine.data.make(NEW, "id-15", "0/1")
                world.problems = ["the data are of PostgreSQL 17"]
                world.order(action)
                world.until("refused")
                self.assertEqual([self.restarts(name) for name in ("b", "a", "c")], [NEW] * 3)
                self.assertTrue(all(machine.data.version() == NEW for machine in world.machines.values()))

    def test_the_marker_is_lost(self):
        world = self.world
        world.order("run")
        world.until("done")
        world.etcd.config.pop("quorum_upgrade")
        world.problems = ["the data are of PostgreSQL 17"]
        world.order("run")
        world.until("refused")
        self.assertEqual([self.restarts(name) for name in ("b", "c", "a")], [NEW] * 3)

    def test_the_former_data_are_gone(self):
        world = self.world
        world.order("run")
        keeper = world.until("done")["keeper"]
        shutil.rmtree(world.machines[keeper].data.beside(OLD))
        world.order("revert")
        self.turns(5)
        self.assertEqual(world.until("done")["problems"], [f"{keeper} has no data of PostgreSQL 15 any more"])
        self.assertEqual([self.restarts(name) for name in ("c", "b", "a")], [NEW] * 3)
        self.turns(5)
        self.all_are(NEW)
        world.order("finish")
        world.until("finished")

    def test_a_node_does_not_stop_to_go_back(self):
        for slow in ("a", "b", "c"):
            with self.subTest(slow=slow):
                world = self.world = World(self)
                world.order("run")
                keeper = world.until("done")["keeper"]
                world.order("revert")
                turn = world.machines[slow].turn
                world.machines[slow].turn = lambda world=world, turn=turn: None if world.stage == "stopping" else turn()
                self.turns(300)
                self.assertIn("did not stop" if slow != keeper else "gave no sign", world.until("done")["problems"][0])
                self.all_are(NEW)
                self.assertEqual(world.kept(), [keeper], "the way back stays")

    def test_the_volume_is_not_there_yet(self):
        """A directory without data in its place is not taken for data that were upgraded."""
        world = self.world
        world.order("run")
        world.until("stopped")
        machine = world.machines["a"]
        machine.data.make(NEW, "id-of-an-empty-cluster", "0/1", machine.data.beside(NEW))
        machine.cut()
        machine.back()
        above = os.path.dirname(machine.data.directory)
        os.rename(above, above + ".volume")
        os.makedirs(machine.data.directory)
        self.turns(4)
        shutil.rmtree(above)
        os.rename(above + ".volume", above)
        self.turns(300)
        self.assertIn(world.etcd.initialize, ("id-15", "id-17"))
        self.all_are(OLD if world.etcd.initialize == "id-15" else NEW)

    def test_nothing_starts_while_pg_upgrade_runs(self):
        world, upgrade = self.world, forward.upgrade

        def frozen(data, old, new, is_wanted):
            forward.upgrade = upgrade
            self.while_away("a", 260)
            self.assertEqual((world.stage, world.machines["a"].hold.look()), ("refused", ""))
            upgrade(data, old, new, is_wanted)
        forward.upgrade = frozen
        world.order("run")
        world.until("refused")
        self.turns(50)
        self.assertEqual(world.stage, "refused")
        self.all_are(OLD)

    def test_who_keeps_the_former_data_is_off(self):
        world = self.world
        world.order("run")
        keeper = world.until("done")["keeper"]
        world.machines[keeper].cut()
        world.order("revert")
        self.turns(100)
        self.assertEqual((world.stage, world.etcd.read().marker["action"]), ("done", "run"))
        self.assertEqual(world.etcd.read().marker["problems"], [f"{keeper} has the former data, and does not answer"])
        world.machines[keeper].back()
        self.turns(100)
        self.all_are(NEW)
        self.assertEqual(world.kept(), [keeper])

    def test_a_single_node_has_no_way_back(self):
        world = self.world = World(self, names=("a",))
        world.order("run")
        world.until("done")
        world.order("revert")
        self.turns(5)
        self.assertEqual(world.until("done")["problems"], ["no node has data of PostgreSQL 15: only a backup leads back"])

    def test_a_replica_that_is_never_made_keeps_no_other_back(self):
        world = self.world
        world.order("run")
        world.until("starting")
        never = world.machines["c"]

        def begin(_):
            never.patroni, never.data.up = True, False
            world.etcd.members = sorted({*world.etcd.members, "c"})
        never.begin = begin
        for _ in range(1100):
            world.turn()
        self.assertEqual((world.stage, world.etcd.read().marker["skipped"]), ("done", ["c"]))

    def test_a_replica_whose_copies_break_off_keeps_no_other_back(self):
        world = self.world
        world.order("run")
        world.until("starting")
        never = world.machines["b"]

        def begin(_):
            never.patroni, never.data.up = True, False
            world.etcd.members = sorted({*world.etcd.members, "b"})
        never.begin = begin
        # A copy takes 600 seconds, and another one follows at once; c, which comes next, needs none.
        world.copying = lambda: [str(world.clock // 600)] if world.etcd.read().marker.get("turn") == "b" else []
        for _ in range(2000):
            world.turn()
        self.assertEqual((world.stage, world.etcd.read().marker["skipped"]), ("done", ["b"]))

    def test_a_copy_that_takes_long_is_waited_for(self):
        world = self.world
        world.order("run")
        world.until("starting")
        slow = world.machines["b"]
        begin, slow.begin = slow.begin, lambda _: None
        world.copying = lambda: ["4711"] if world.etcd.read().marker.get("turn") == "b" else []
        self.turns(3000)
        self.assertEqual(world.etcd.read().marker["turn"], "b")
        slow.begin, slow.patroni = begin, False
        self.assertEqual(world.until("done")["skipped"], [])

    def test_etcd_is_away(self):
        world = self.world
        world.order("run")
        world.until("stopped")
        self.turns(2)
        world.etcd.away = True
        self.turns(300)
        world.etcd.away = False
        self.assertEqual(world.until("done")["problems"], [])
        self.all_are(NEW)

    def test_a_cluster_that_is_paused(self):
        world = self.world
        world.etcd.config["pause"] = True
        world.order("run")
        self.assertIn("is paused", world.until("refused")["problems"][0])
        self.assertTrue(world.etcd.config["pause"])

    def test_it_is_asked_for_in_the_midst(self):
        world = self.world
        world.order("run")
        for stage in ("checking", "stopping", "stopped", "starting"):
            world.until(stage)
            world.order("check")
        world.until("done")
        self.all_are(NEW)
        self.assertNotIn("quorum_upgrade_order", world.etcd.config)


if __name__ == "__main__":
    unittest.main()
