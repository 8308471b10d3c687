// Elements of the page. Texts of the document become text nodes, never markup.

function element(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// A column: {head, cell: (row) => text or node, number: true, name: true, line: true (is not broken), header: true}.
function table(caption, columns, rows, rowClass) {
  const kind = (column) => (column.number ? { class: 'number' } : column.name ? { class: 'name' }
    : column.line ? { class: 'line' } : {});
  const head = columns.map((c) => element('th', { scope: 'col', ...kind(c) }, c.head));
  const body = rows.map((row) =>
    element('tr', rowClass ? { class: rowClass(row) } : {}, ...columns.map((c) =>
      element(c.header ? 'th' : 'td', { ...(c.header ? { scope: 'row' } : {}), ...kind(c) }, c.cell(row)))));
  const node = element('table', {}, element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...body));
  return element('div', { class: 'scroll', role: 'region', tabindex: '0', 'aria-label': caption }, node);
}

const ROWS_AT_FIRST = 12, ROWS_TO_FOLD = 20;

// The same for tables that may be long: a button shows the rows behind the first ones. Print has all.
function longTable(caption, columns, rows) {
  const node = table(caption, columns, rows);
  if (rows.length < ROWS_TO_FOLD) {
    return node;
  }
  node.classList.add('folded');
  Array.from(node.querySelectorAll('tbody tr')).slice(ROWS_AT_FIRST).forEach((row) => row.classList.add('behind'));
  const button = element('button', { type: 'button' });
  const label = (folded) => {
    button.setAttribute('aria-expanded', String(!folded));
    button.textContent = folded ? 'Show all ' + count(rows.length) + ' rows' : 'Show the first ' + ROWS_AT_FIRST;
  };
  button.addEventListener('click', () => label(node.classList.toggle('folded')));
  label(true);
  return element('div', {}, node, button);
}

function details(summary, ...children) {
  return element('details', {}, element('summary', {}, summary), ...children);
}

// Pairs of a name and texts; pairs without text are left out.
function facts(list, pairs) {
  for (const [name, value] of pairs) {
    const values = [].concat(value).filter((v) => v !== null && v !== undefined && v !== '');
    if (values.length > 0) {
      list.append(element('div', {}, element('dt', {}, name), ...values.map((v) => element('dd', {}, v))));
    }
  }
}
