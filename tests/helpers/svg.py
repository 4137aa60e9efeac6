"""Elements of SVG pictures."""

from __future__ import annotations

import xml.dom.minidom
from typing import Any, List


def elements(picture: str, name: str) -> List[Any]:
    return list(xml.dom.minidom.parseString(picture).getElementsByTagName(name))
