"""How far an upgrade comes, with nodes whose power fails in each of its stages."""
import json
import os
import unittest

from world import NEW, OLD, World

ALL = ("a", "b", "c")


def all_of(major, names=ALL):
    return {name: (major, True) for name in names}


class Stages(unittest.TestCase):
    def test_a_check_changes_nothing(self):
        world = World(self)
        world.order("check")
        self.assertEqual(world.until("checked")["notes"], ["a note"])
        world.turn()
        self.assertEqual(world.versions(), all_of(OLD))
        self.assertTrue(all(machine.patroni for machine in world.machines.values()))

    def test_what_is_in_the_way_is_named(self):
        world = World(self)
        world.problems = ["the prepared transaction x"]
        world.order("run")
        self.assertEqual(world.until("refused")["problems"], ["the prepared transaction x"])
        self.assertEqual(world.versions(), all_of(OLD))
        self.assertNotIn("pause", world.etcd.config)

    def test_sql_that_always_fails_is_named(self):
        for action in ("check", "run"):
            world = World(self)
            world.silent = "psql: it lets nobody in"
            world.order(action)
            self.assertEqual(world.until("refused")["problems"], ["psql: it lets nobody in"])
            self.assertEqual(world.versions(), all_of(OLD))
        world = World(self)
        world.silent = "psql: it starts up"
        world.order("check")
        world.until("checking")
        for _ in range(30):
            world.turn()
        world.silent = ""
        self.assertEqual(world.until("checked")["problems"], [])

    def test_run_finish(self):
        world = World(self)
        world.order("run")
        marker = world.until("done")
        self.assertEqual((world.versions(), world.etcd.initialize, world.etcd.leader), (all_of(NEW), "id-17", "a"))
        self.assertEqual(world.kept(), [marker["keeper"]])
        self.assertEqual(world.etcd.config["quorum_system_ids"], ["id-15", "id-17"])
        self.assertNotIn("pause", world.etcd.config)
        world.order("finish")
        world.until("finished")
        world.turn()
        self.assertEqual((world.kept(), world.versions()), ([], all_of(NEW)))

    def test_revert_and_run_again(self):
        world = World(self)
        world.order("run")
        keeper = world.until("done")["keeper"]
        world.order("revert")
        world.until("reverted")
        self.assertEqual((world.versions(), world.etcd.initialize, world.etcd.leader, world.kept()), (all_of(OLD), "id-15", keeper, []))
        world.order("run")
        self.assertEqual(world.until("done")["base"], keeper)
        self.assertEqual(world.versions(), all_of(NEW))

    def test_a_single_node(self):
        world = World(self, names=("a",))
        world.order("run")
        self.assertEqual(world.until("done")["keeper"], "")
        self.assertEqual(world.versions(), all_of(NEW, ("a",)))

    def test_pg_upgrade_fails(self):
        world = World(self)
        world.broken = True
        world.order("run")
        self.assertEqual(world.until("refused")["problems"], ["pg_upgrade: it is broken"])
        for _ in range(10):
            world.turn()
        self.assertEqual(world.versions(), all_of(OLD))

    def test_a_replica_that_is_behind_keeps_nothing(self):
        world = World(self)
        world.machines["b"].data.make(OLD, "id-15", "0/0")
        world.order("run")
        self.assertEqual(world.until("done")["keeper"], "c")

    def test_no_replica_has_all(self):
        world = World(self)
        for name in ("b", "c"):
            world.machines[name].data.make(OLD, "id-15", "0/0")
        world.order("run")
        self.assertIn("no replica has all that was written", world.until("refused")["problems"][0])
        for _ in range(10):
            world.turn()
        self.assertEqual(world.versions(), all_of(OLD))
        self.assertTrue(os.path.exists(world.machines["a"].data.directory + "/global/pg_control"))

    def test_the_leader_is_cut_off_and_comes_back(self):
        for stage in ("checking", "stopped", "upgraded", "starting", "replicas"):
            for turns in (0, 1, 2):
                with self.subTest(stage=stage, turns=turns):
                    world = World(self)
                    world.order("run")
                    world.until(stage)
                    for _ in range(turns):
                        world.turn()
                    if world.stage != stage and turns:
                        continue
                    world.machines["a"].cut()
                    for _ in range(30):
                        world.turn()
                    world.machines["a"].back()
                    for _ in range(300):
                        world.turn()
                    self.assertIn(world.stage, ("done", "refused"))
                    self.assertEqual(world.versions(), all_of(NEW if world.stage == "done" else OLD))

    def test_nodes_are_cut_off_while_it_goes_back(self):
        for name in ALL:
            for stage in ("ordered", "stopping", "starting", "replicas"):
                with self.subTest(stage=stage, name=name):
                    world = World(self)
                    world.order("run")
                    world.until("done")
                    world.order("revert")
                    world.until(stage)
                    world.machines[name].cut()
                    for _ in range(30):
                        world.turn()
                    world.machines[name].back()
                    for _ in range(400):
                        world.turn()
                    self.assertEqual(world.stage, "reverted")
                    self.assertEqual((world.versions(), world.kept()), (all_of(OLD), []))

    def test_it_goes_back_when_the_new_leader_is_lost_before_any_replica(self):
        world = World(self)
        world.order("run")
        world.until("starting")
        world.machines["a"].cut()
        for _ in range(10):
            world.turn()
        world.order("revert")  # as by hand, on a node: none of them answers
        world.until("reverted")
        for _ in range(10):
            world.turn()
        self.assertEqual({name: of for name, of in world.versions().items() if name != "a"}, all_of(OLD, ("b", "c")))
        world.machines["a"].back()
        for _ in range(10):
            world.turn()
        self.assertEqual(world.versions(), all_of(OLD))

    def test_the_leader_is_lost_while_all_are_stopped(self):
        for stage in ("stopped", "upgraded"):
            with self.subTest(stage=stage):
                world = World(self)
                world.order("run")
                world.until(stage)
                world.machines["a"].cut()
                self.assertIn("gave no sign", world.until("refused")["problems"][0])
                for _ in range(10):
                    world.turn()
                self.assertEqual({name: of for name, of in world.versions().items() if name != "a"}, all_of(OLD, ("b", "c")))
                world.machines["a"].back()
                for _ in range(10):
                    world.turn()
                self.assertEqual(world.versions(), all_of(OLD))

    def test_a_replica_is_off(self):
        world = World(self)
        world.machines["c"].cut()
        world.order("run")
        self.assertEqual(world.until("done")["keeper"], "b")
        world.machines["c"].back()
        for _ in range(10):
            world.turn()
        self.assertEqual(world.versions(), all_of(NEW))

    def test_a_replica_that_is_off_has_no_other_wait(self):
        """Writes may wait for the first one."""
        world = World(self)
        world.order("run")
        world.until("starting")
        world.machines["b"].cut()  # whose turn is before that of c, which keeps the former data
        world.etcd.config["quorum_upgrade"] = json.dumps({**world.etcd.read().marker, "keeper": "c"})
        world.until("replicas")
        begun = world.clock
        while "c" not in world.etcd.read().marker["joined"]:
            world.turn()
        self.assertLess(world.clock - begun, 10)
        self.assertEqual(world.until("done")["skipped"], ["b"])

    def test_those_that_come_late_have_no_other_wait(self):
        world = World(self)
        world.order("run")
        world.until("starting")
        for name in ("b", "c"):
            world.machines[name].cut()
        for _ in range(20):
            world.turn()
        turn = world.etcd.read().marker["turn"]
        self.assertIn(turn, ("b", "c"))
        other = {"b": "c", "c": "b"}[turn]
        world.machines[other].back()
        begun = world.clock
        while other not in world.etcd.read().marker["joined"]:
            world.turn()
        self.assertLess(world.clock - begun, 10)

    def test_a_replica_is_lost_in_the_midst(self):
        world = World(self)
        world.order("run")
        world.until("starting")
        world.machines["b"].cut()
        self.assertEqual(world.until("done")["skipped"], ["b"])
        world.machines["b"].back()
        for _ in range(10):
            world.turn()
        self.assertEqual(world.versions(), all_of(NEW))

    def test_a_node_that_comes_later_says_so(self):
        """The program warns of those that have not."""
        world = World(self)
        world.order("run")
        world.until("starting")
        world.machines["c"].cut()
        self.assertEqual(sorted(world.until("done")["joined"]), ["a", "b"])
        world.machines["b"].cut()
        world.order("finish")
        marker = world.until("finished")
        self.assertEqual((sorted(marker["joined"]), sorted(marker["cleaned"])), (["a", "b"], ["a"]))
        for name in ("b", "c"):
            world.machines[name].back()
        for _ in range(20):
            world.turn()
        marker = world.etcd.read().marker
        self.assertEqual((sorted(marker["joined"]), sorted(marker["cleaned"]), world.kept()), (list(ALL), list(ALL), []))

    def test_a_node_that_comes_after_it_went_back_says_so(self):
        world = World(self)
        world.order("run")
        world.until("done")
        world.order("revert")
        world.until("starting")
        world.machines["a"].cut()
        self.assertEqual(sorted(world.until("reverted")["joined"]), ["b", "c"])
        world.machines["a"].back()
        for _ in range(20):
            world.turn()
        self.assertEqual(sorted(world.etcd.read().marker["joined"]), list(ALL))

    def test_data_of_another_version_are_left_alone(self):
        world = World(self)
        machine = world.machines["b"]
        machine.patroni = machine.data.up = False
        machine.data.make("14", "id-14", "0/1")
        self.assertEqual(machine.hold.look(), "14")
        self.assertEqual(machine.data.version(), "14")


if __name__ == "__main__":
    unittest.main()
