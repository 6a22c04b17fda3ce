"""What etcd-join makes of what the other members say."""
import importlib.machinery
import importlib.util
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))

sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("etcd_join", HERE + "/etcd-join")
program = importlib.util.module_from_spec(importlib.util.spec_from_loader("etcd_join", loader))
loader.exec_module(program)

URLS = {f"etcd-{n}": f"https://10.0.0.{n}:2380" for n in range(1, 6)}
AWAY = {"error": "Connection refused"}


def cluster(*names):
    return ",".join(f"{name}={URLS[name]}" for name in names)


THREE = cluster("etcd-1", "etcd-2", "etcd-3")


def member(name="etcd-1", state="new", members=THREE):
    return program.Member(f"""
name: {name}
data-dir: /nowhere
initial-advertise-peer-urls: {URLS[name]}
listen-client-urls: https://10.0.0.{name[-1]}:2379,https://127.0.0.1:2379
initial-cluster: {members}
initial-cluster-token: token
initial-cluster-state: {state}
""")


def entry(number, name="", started=False, **more):
    return {"id": number, "name": name, "peerURLs": [f"https://10.0.0.{number}:2380"],
            "clientURLs": [f"https://10.0.0.{number}:2379"] if started else [], "isLearner": False, **more}


def etcd(*entries, number=7):
    return {"members": list(entries), "id": number}


def founding(*started, me=None):
    """What one of three founders says, of whom some have started."""
    return etcd(*[entry(n, f"etcd-{n}", n in started) for n in (1, 2, 3)], number=(me or member()).cluster_id())


def page(members=THREE, token="token"):
    return {"founds": (sorted(members.split(",")), token)}


class Case(unittest.TestCase):
    def decide(self, me, **answers):
        return program.decide(me, {(f"10.0.0.{name[-1]}", 2380): answer for name, answer in answers.items()})

    def waits(self, reason, me, **answers):
        with self.assertRaises(program.Wait) as caught:
            self.decide(me, **answers)
        self.assertIn(reason, str(caught.exception))


class Found(Case):
    def test_alone(self):
        self.assertEqual({}, self.decide(member(members=cluster("etcd-1"))))
        self.waits("no member of the cluster that it is to join answers: none is listed", member(state="existing", members=cluster("etcd-1")))

    def test_together(self):
        self.assertEqual({}, self.decide(member(), m2=page(), m3=page()))
        self.assertEqual({}, self.decide(member(), m2=page(cluster("etcd-3", "etcd-1", "etcd-2")), m3=page()))

    def test_not_without_one(self):
        self.waits("not all that found the cluster answer: 10.0.0.3 (Connection refused)", member(), m2=page(), m3=AWAY)

    def test_not_with_others(self):
        for other in (page(token="other"), page(cluster("etcd-1", "etcd-2", "etcd-4")), page(cluster("etcd-1", "etcd-3"))):
            self.waits("10.0.0.3 is to found a cluster with another", member(), m2=page(), m3=other)

    def test_never_what_exists(self):
        self.waits("no member of the cluster that it is to join answers", member(state="existing"), m2=page(), m3=page())


class Follow(Case):
    def test_one_that_is_ahead(self):
        self.assertEqual({}, self.decide(member(), m2=founding(), m3=page()))
        self.assertEqual({}, self.decide(member(), m2=founding(2, 3), m3=founding(3)))

    def test_not_while_one_is_away_that_may_know_better(self):
        """A founder that no news has reached since cannot tell that this member had data."""
        self.waits("too few of the cluster's voters answer to tell what became of this member: 10.0.0.2 (Connection refused)",
                   member(), m2=AWAY, m3=founding())
        self.waits("removed and added again", member(), m2=founding(1, 2), m3=founding())

    def test_not_all_need_be_there(self):
        four = cluster("etcd-1", "etcd-2", "etcd-3", "etcd-4")
        said = etcd(*[entry(n, f"etcd-{n}") for n in (1, 2, 3, 4)], number=member(members=four).cluster_id())
        self.assertEqual({}, self.decide(member(members=four), m2=said, m3=page(four), m4=AWAY))

    def test_with_another_list_it_joins(self):
        for me in (member(members=cluster("etcd-1", "etcd-2")), member(state="existing")):
            self.assertEqual({"initial-cluster": THREE, "initial-cluster-state": "existing"}, self.decide(me, m2=founding(2, 3), m3=founding(2, 3)))


class Join(Case):
    def joins(self, wanted, me, **answers):
        self.assertEqual({"initial-cluster": wanted, "initial-cluster-state": "existing"}, self.decide(me, **answers))

    def test_unknown(self):
        for state in ("new", "existing"):
            self.waits("the cluster of 10.0.0.2 does not know this member: it must be added", member(state=state),
                       m2=etcd(entry(2, "etcd-2", True), entry(3, "etcd-3", True)), m3=AWAY)

    def test_lost_its_data(self):
        for state in ("new", "existing"):
            self.waits("the cluster knows this member as one that had data: it must be removed and added again", member(state=state),
                       m2=founding(1, 2, 3), m3=page())

    def test_another_has_the_address(self):
        self.waits("by another name", member(), m2=etcd(entry(1, "db"), entry(2, "etcd-2", True)), m3=AWAY)

    def test_added(self):
        said = etcd(entry(1, isLearner=True), entry(2, "etcd-2", True), entry(3, "etcd-3", True))
        for state in ("new", "existing"):
            self.joins(THREE, member(state=state), m2=said, m3=said)

    def test_members_as_they_are(self):
        said = etcd(entry(1, peerURLs=["https://10.1.0.1:2380", "https://10.0.0.1:2380"]), entry(2, "etcd-2", True),
                    entry(3, isLearner=True), entry(4, "etcd-1", True), entry(5, "twin", True), entry(10, "twin", True))
        self.joins("etcd-1=https://10.1.0.1:2380,etcd-1=https://10.0.0.1:2380,etcd-2=https://10.0.0.2:2380,3=https://10.0.0.3:2380,"
                   "4=https://10.0.0.4:2380,5=https://10.0.0.5:2380,a=https://10.0.0.10:2380", member(), m2=said, m3=said, m4=said, m5=said)

    def test_one_address_spelled_in_two_ways(self):
        me = member(members="etcd-1=https://[2001:DB8:0::1]:2380,etcd-2=https://10.0.0.2:2380")
        me.url = "https://[2001:DB8:0::1]:2380"
        said = etcd(entry(1, peerURLs=["https://[2001:db8::1]:2380"]), entry(2, "etcd-2", True))
        self.joins("etcd-1=https://[2001:db8::1]:2380,etcd-2=https://10.0.0.2:2380", me, m2=said)

    def test_needs_half_of_the_voters(self):
        """One may not know yet that this member had data; of what is confirmed, one of a half does."""
        voters = [entry(n, f"etcd-{n}", True) for n in (2, 3, 4)]
        said = etcd(entry(1, isLearner=True), *voters)
        self.waits("too few of the cluster's voters answer to tell what became of this member: 10.0.0.3 (Connection refused)", member(), m2=said, m3=AWAY)
        self.decide(member(), m2=said, m3=said)
        self.waits("too few of the cluster's voters answer", member(), m2=etcd(entry(1), *voters), m3=AWAY, m4=AWAY)
        self.decide(member(), m2=etcd(entry(1), *voters), m3=etcd(entry(1), *voters), m4=AWAY)
        self.decide(member(), m2=etcd(entry(1), entry(2, "etcd-2", True)))

    def test_disagreement(self):
        said = etcd(entry(1), entry(2, "etcd-2", True), entry(3, "etcd-3", True))
        again = etcd(entry(1, id=11), *said["members"][1:])
        for other in (again, {**said, "id": 8}):
            self.waits("they do not agree on the members of the cluster: 10.0.0.2, 10.0.0.3", member(), m2=said, m3=other)


class Removed(Case):
    def by(self, ids, **answers):
        """Who says that the member with these ids has been removed."""
        me = member()
        me.ids = lambda: ids
        self.addCleanup(setattr, program, "ask_all", program.ask_all)
        program.ask_all = lambda *_: {(f"10.0.0.{name[-1]}", 2380): answer for name, answer in answers.items()}
        return program.removed_by(me)

    def test_by_a_healthy_member(self):
        said = etcd(entry(11, peerURLs=["https://10.0.0.1:2380"]), entry(2, "etcd-2", True))
        self.assertEqual("10.0.0.2", self.by((1, 7), m2=said, m3=AWAY))

    def test_still_one(self):
        self.assertIsNone(self.by((1, 7), m2=founding(1, 2, 3), m3=AWAY))
        self.assertIsNone(self.by((1, 7), m2=etcd(entry(1, isLearner=True), entry(2, "etcd-2", True))))

    def test_nobody_is_healthy(self):
        self.assertIsNone(self.by((1, 7), m2=AWAY, m3={"error": "is not healthy"}))

    def test_another_cluster_cannot_tell(self):
        self.assertIsNone(self.by((1, 7), m2=etcd(entry(2, "etcd-2", True), number=8)))

    def test_log_that_does_not_tell(self):
        self.assertIsNone(self.by(None, m2=etcd(entry(2, "etcd-2", True))))


if __name__ == "__main__":
    unittest.main()
