class Config:
    def __init__(self, path):
        assert path == "/etc/patroni/conf.yml", path
