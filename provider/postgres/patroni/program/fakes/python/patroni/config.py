import os


class Config:
    def __init__(self, path):
        assert path in ("/etc/patroni/conf.yml", os.environ["FAKE"] + "/conf.yml"), path
