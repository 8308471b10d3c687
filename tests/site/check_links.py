"""check_links.py SITE: every link of every page leads to a file and an anchor that are there, and nothing
is loaded from the network."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.anchors.update(filter(None, (attrs.get("id"), attrs.get("name"))))
        if tag == "a" and attrs.get("href"):
            self.links.append(attrs["href"])
        if tag in ("script", "img", "iframe") and attrs.get("src"):
            self.loaded.append(attrs["src"])
        if tag == "link" and attrs.get("href"):
            self.loaded.append(attrs["href"])


def check(site, path, pages, bad):
    page = pages[path]
    for link in page.links + page.loaded:
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or parts.netloc:
            if link in page.loaded and parts.scheme != "javascript":
                bad.append(f"{path.relative_to(site)}: loads {link}")
            continue
        target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
        if target.is_dir():
            target = target / "index.html"
        if not target.is_file():
            bad.append(f"{path.relative_to(site)}: no file for {link}")
        elif parts.fragment and target in pages and link in page.links:
            if urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                bad.append(f"{path.relative_to(site)}: no anchor for {link}")


def main(folder):
    site = pathlib.Path(folder).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    bad = []
    for path in pages:
        check(site, path, pages, bad)
    print("\n".join(bad[:50]) or f"{len(pages)} pages, all links lead somewhere")
    return 1 if bad or len(pages) < 20 else 0


sys.exit(main(sys.argv[1]))
