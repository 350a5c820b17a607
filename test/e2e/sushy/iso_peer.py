"""Makes and reads ISO 9660 volumes with pycdlib, for tests: one JSON document a line in, one a line out."""

import base64
import io
import json
import sys

import pycdlib


def make(target, label, files):
    iso = pycdlib.PyCdlib()
    iso.new(interchange_level=3, vol_ident=label, rock_ridge="1.09")
    folders = set()
    for path, source in files.items():
        *parents, name = path.strip("/").split("/")
        for depth in range(1, len(parents) + 1):
            folder = "/" + "/".join(parents[:depth]).upper()
            if folder not in folders:
                folders.add(folder)
                iso.add_directory(folder, rr_name=parents[depth - 1])
        plain = "".join("/" + part.upper() for part in (*parents, name)) + ";1"
        iso.add_file(source, iso_path=plain, rr_name=name)
    iso.write(target)
    iso.close()
    return {}


def read(source, path):
    iso = pycdlib.PyCdlib()
    iso.open(source)
    try:
        kind = "rr_path" if iso.has_rock_ridge() else "iso_path"
        for folder, _, names in iso.walk(**{kind: "/"}):
            for name in names:
                full = folder.rstrip("/") + "/" + name
                if full.split(";")[0].rstrip(".").lower() == path:
                    content = io.BytesIO()
                    iso.get_file_from_iso_fp(content, **{kind: full})
                    return {
                        "label": iso.pvd.volume_identifier.decode().strip(),
                        "content": base64.b64encode(content.getvalue()).decode(),
                    }
        return {"error": f"there is no {path}"}
    finally:
        iso.close()


COMMANDS = {"make": make, "read": read}

for line in sys.stdin:
    request = json.loads(line)
    try:
        answer = COMMANDS[request.pop("command")](**request)
    except Exception as problem:
        answer = {"error": f"{type(problem).__name__}: {problem}"}
    print(json.dumps(answer), flush=True)
