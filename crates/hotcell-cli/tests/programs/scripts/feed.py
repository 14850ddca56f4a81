"""XML read, changed and written."""
import xml.etree.ElementTree as ET
from html import escape, unescape
from html.parser import HTMLParser

tree = ET.parse("data/feed.xml")
entries = sorted(tree.getroot(), key=lambda entry: entry.findtext("{urn:dc}date"))
for entry in entries:
    print(entry.get("id"), entry.findtext("{urn:dc}date"), entry.find("title").text)
ET.SubElement(tree.getroot(), "entry", id="c3").text = "<new>"
print(ET.tostring(tree.getroot()[-1]).decode())

class Links(HTMLParser):
    def handle_starttag(self, tag, attributes):
        if tag == "a":
            print("link", dict(attributes).get("href"))

Links().feed('<p>See <a href="/x?a=1&amp;b=2">this</a> and <a href=plain>that</a>')
print(escape("<a & 'b'>"), unescape("&eacute;&#x2014;&lt;"))
try:
    ET.fromstring("<a><b></a>")
except ET.ParseError as error:
    print("not well-formed:", error)
