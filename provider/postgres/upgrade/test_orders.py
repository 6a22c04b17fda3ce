"""What is asked for when it does not fit, and the way back on bad days."""
import os
import shutil
import time
import unittest

from days import Days
from quorum_upgrade import forward
from quorum_upgrade.data import version
from world import NEW, OLD, World


class Orders(Days):
    def order_by_hand(self, action):
        self.world.order(action, byHand=True)

    def marker(self):
        return self.world.etcd.read().marker

    def is_dropped(self):
        self.assertNotIn("quorum_upgrade_order", self.world.etcd.config)

    def test_an_order_in_the_midst_stops_nobody(self):
        for action in ("revert", "run", "check", "finish"):
            with self.subTest(action=action):
                world = self.world = World(self)
                world.order("run")
                world.until("stopped")
                world.etcd.leader = ""  # its key has expired
                self.order_by_hand(action)
                world.until("done")
                self.is_dropped()
                self.all_are(NEW)

    def test_an_order_of_long_ago_is_dropped(self):
        world = self.world
        world.etcd.leader, leader = "", world.etcd.leader
        for machine in world.machines.values():
            machine.patroni = machine.data.up = False
            machine.hold.look = lambda: ""
        world.order("run", at=time.time() - 4000)
        self.turns(3)
        world.etcd.leader = leader
        self.turns(3)
        self.is_dropped()
        self.assertEqual(world.stage, None)

    def test_what_does_not_fit_changes_nothing(self):
        world = self.world
        for action in ("revert", "finish"):
            self.order_by_hand(action)
            self.turns(5)
            self.is_dropped()
            self.assertEqual(world.stage, None, action)
        world.order("run")
        keeper = world.until("done")["keeper"]
        for action in ("run", "check"):
            self.order_by_hand(action)
            self.turns(5)
            self.is_dropped()
            self.assertEqual((world.stage, self.marker()["keeper"]), ("done", keeper))
        world.etcd.change(world.etcd.read(), self.marker(), quorum_upgrade_order='{"action": "x"}')
        self.turns(2)
        self.is_dropped()

    def test_going_back_by_hand_is_known_until_the_program_has_it(self):
        world = self.world
        world.order("run")
        world.until("done")
        self.order_by_hand("revert")
        self.assertTrue(world.until("reverted")["byHand"])
        self.order_by_hand("revert")
        self.turns(5)
        self.assertTrue(self.marker()["byHand"])
        world.order("revert")
        self.turns(5)
        self.assertEqual((world.stage, bool(self.marker().get("byHand"))), ("reverted", False))

    def test_a_check_that_does_not_end_is_given_up(self):
        for action in ("check", "run"):
            for leads in (True, False):
                with self.subTest(action=action, leads=leads):
                    world = self.world = World(self)
                    world.silent = "psql: it lets nobody in"
                    world.order(action)
                    world.until("checking")
                    self.turns(5)
                    if not leads:
                        world.etcd.leader = ""
                        for machine in world.machines.values():
                            machine.start = lambda: None
                    world.order("revert")
                    world.until("reverted", turns=10)
                    self.is_dropped()
                    self.assertEqual(set(world.versions()), {"a", "b", "c"})
                    self.all_are(OLD)

    def test_after_a_backup_of_before_was_restored(self):
        """What is noted of the upgrade is not true any more."""
        for last in ("done", "finished"):
            for action in ("check", "run"):
                with self.subTest(last=last, action=action):
                    world = self.world = World(self)
                    world.order("run")
                    world.until("done")
                    if last == "finished":
                        world.order("finish")
                        world.until("finished")
                    for machine in world.machines.values():
                        shutil.rmtree(machine.data.directory)
                        machine.data.make(OLD, "id-15", "0/1")
                    world.etcd.initialize = "id-15"
                    world.order(action)
                    world.until("checking")
                    self.assertEqual(self.marker()["has"], OLD)
                    world.until("checked" if action == "check" else "done")
                    self.turns(10)
                    self.all_are(OLD if action == "check" else NEW)

    def test_back_while_replicas_are_made(self):
        world = self.world
        world.order("run")
        world.until("replicas")
        world.order("revert")
        world.until("reverted")
        self.turns(10)
        self.all_are(OLD)

    def test_a_node_does_not_stop_to_go_back_while_replicas_are_made(self):
        world = self.world
        world.order("run")
        world.until("replicas")
        turn = world.machines["a"].turn
        world.machines["a"].turn = lambda: None if world.stage == "stopping" else turn()
        world.order("revert")
        world.until("stopping")
        self.turns(300)
        marker = world.until("done")
        self.assertIn("did not stop", marker["problems"][0])
        self.assertEqual(sorted(marker["did"]), ["clean", "statistics"], "what was to be done is done")
        self.all_are(NEW)

    def test_back_where_the_copy_of_the_keeper_is_not_whole(self):
        for names in (("a", "b"), ("a", "b", "c")):
            for half in (False, True):
                with self.subTest(names=names, half=half):
                    world = self.world = World(self, names=names)
                    world.order("run")
                    world.until("replicas")
                    keeper = world.machines["b"]

                    def begin(_, keeper=keeper, world=world, half=half):
                        if half:
                            os.makedirs(keeper.data.directory + "/base", exist_ok=True)
                        keeper.patroni = True
                        world.etcd.members = sorted({*world.etcd.members, "b"})
                    keeper.begin = begin
                    self.turns(30)
                    self.assertEqual(version(keeper.data.beside(OLD)), OLD)
                    for name in names:
                        if name != "b":
                            world.machines[name].cut()
                    self.turns(10)
                    del keeper.begin
                    self.order_by_hand("revert")
                    world.until("reverted", turns=900)
                    self.assertEqual((keeper.data.version(), world.etcd.leader), (OLD, "b"))

    def test_the_keeper_freezes_while_it_goes_back(self):
        world = self.world
        world.order("run")
        keeper = world.until("done")["keeper"]
        world.order("revert")
        data = world.machines[keeper].data
        exchange, frozen = data.exchange, []

        def freezes(*versions):
            exchange(*versions)
            if not frozen:
                frozen.append(True)
                self.while_away(keeper, 260)
        data.exchange = freezes
        world.until("stopping")
        world.until("done")
        del data.exchange
        self.turns(50)
        self.all_are(NEW)
        self.assertEqual((world.kept(), os.path.exists(data.beside(NEW))), ([keeper], False))
        world.order("revert")
        world.until("reverted")
        self.turns(10)
        self.all_are(OLD)

    def test_a_leader_that_is_off_after_its_data_were_exchanged(self):
        for action in ("check", "run"):
            with self.subTest(action=action):
                world = self.world = World(self)
                world.order("run")
                world.until("upgraded")
                machine = world.machines["a"]
                exchange = machine.data.exchange

                class Cut(BaseException):
                    pass

                def cut(*versions, machine=machine, exchange=exchange, cut=Cut):
                    exchange(*versions)
                    machine.cut()
                    raise cut
                machine.data.exchange = cut
                self.assertRaises(Cut, machine.turn)
                del machine.data.exchange
                world.until("refused")
                upgrade = forward.upgrade

                def other(data, old, new, is_wanted, upgrade=upgrade):
                    upgrade(data, old, new, is_wanted)
                    data.make(new, "id-17-of-another", "0/9", data.beside(new))
                forward.upgrade = other
                self.addCleanup(setattr, forward, "upgrade", upgrade)
                self.turns(10)
                world.order(action)
                world.until("checked" if action == "check" else "done")
                forward.upgrade = upgrade
                machine.back()
                self.turns(30)
                self.all_are(OLD if action == "check" else NEW)

    def test_a_node_that_is_off_until_the_next_upgrade(self):
        world = self.world
        world.order("run")
        world.until("starting")
        world.machines["c"].cut()
        world.until("done")
        world.order("finish")
        world.until("finished")
        world.order("check")
        self.turns(5)
        world.machines["c"].back()
        self.turns(20)
        self.all_are(NEW)


if __name__ == "__main__":
    unittest.main()
