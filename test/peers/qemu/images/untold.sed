# What a deploy agent's log has that no console may show: the path of a URL holds the token of a boot.
s#(https?://[^/ "']+)/[^ "',)]*#\1/…#g
s#(with url: )[^ "',)]+#\1…#g
s#((agent_)?token["']?[=:] *["']?)[^ "'&,})]+#\1…#g
