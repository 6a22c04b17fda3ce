class RestApiServer:
    handle_error = None
