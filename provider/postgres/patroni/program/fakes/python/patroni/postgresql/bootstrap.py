class Bootstrap:
    create_or_update_role = post_bootstrap = None
