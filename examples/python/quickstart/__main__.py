from quickstart import quickstart

quickstart()
