// Finds headings that contain all words that are typed. `HEADINGS` is written by tools/site.sh behind this:
// [page, title of the page, anchor, heading].
const root = document.body.dataset.root;
const field = document.querySelector('input[type="search"]');
const found = document.getElementById('found');
const MOST = 30;

function matches(words) {
  const hits = [];
  for (const [page, title, anchor, heading] of HEADINGS) {
    const text = (title + ' ' + heading).toLowerCase();
    if (words.every(word => text.includes(word))) {
      const first = heading.toLowerCase().startsWith(words[0]) ? 0 : 1;
      hits.push({page, title, anchor, heading, first});
    }
  }
  return hits.sort((a, b) => a.first - b.first).slice(0, MOST);
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  found.hidden = words.length === 0;
  found.replaceChildren(...(words.length ? matches(words) : []).map(hit => {
    const item = document.createElement('li'), link = document.createElement('a');
    const place = document.createElement('small');
    link.href = root + hit.page + (hit.anchor ? '#' + hit.anchor : '');
    link.textContent = hit.heading + ' ';
    place.textContent = hit.title;
    link.append(place);
    item.append(link);
    return item;
  }));
  if (words.length && !found.firstChild) {
    found.textContent = 'No heading has these words.';
  }
}

field.addEventListener('input', show);
field.form.addEventListener('submit', event => {
  event.preventDefault();
  const first = found.querySelector('a');
  if (first) {
    location.href = first.href;
  }
});
