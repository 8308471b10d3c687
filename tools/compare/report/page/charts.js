// Charts with their text alternatives. A chart is drawn again when the colours change.

const charts = [];

function axis(colours, title, more) {
  const { ticks, ...rest } = more || {};
  return {
    title: { display: Boolean(title), text: title, color: colours.faint },
    ticks: { color: colours.faint, maxRotation: 0, autoSkipPadding: 12, ...ticks },
    grid: { color: colours.grid, borderColor: colours.faint },
    ...rest,
  };
}

function settings(colours, more) {
  const { plugins, ...rest } = more;
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    ...rest,
    plugins: {
      legend: { display: false },
      ...plugins,
    },
  };
}

// The legend of a chart, below it.
function below(colours) {
  return { display: true, position: 'bottom', labels: { color: colours.text, usePointStyle: true, boxWidth: 8, boxHeight: 6 } };
}

function drawChart(entry) {
  const colours = theme();
  Chart.defaults.font.family = colours.font;
  if (entry.chart) {
    entry.chart.destroy();
  }
  const config = entry.config(colours);
  config.options = settings(colours, config.options);
  config.plugins = [marks];
  entry.chart = new Chart(entry.canvas, config);
}

function drawAll() {
  charts.forEach(drawChart);
}

// {title, note, label (what a screen reader says), height, config: (colours) => of Chart.js, data: the
// same figures as elements, or nothing where they stand beside it}
function figure(parent, { title, note, label, height, config, data }) {
  const canvas = element('canvas', { role: 'img', 'aria-label': label });
  const box = element('div', { class: 'chart', style: 'height:' + height + 'px' }, canvas);
  parent.append(element('figure', {}, title ? element('h3', {}, title) : null,
    note ? element('figcaption', {}, note) : null, box,
    data ? details('Data of this chart', ...[].concat(data)) : null));
  charts.push({ canvas, config });
}

// Names of series with the lines that they have.
function legend(parent, names) {
  const shape = (tag, attributes) => {
    const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
    Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
    return node;
  };
  parent.append(element('ul', { class: 'legend' }, ...names.map((name, i) => {
    const line = shape('svg', { width: 36, height: 10, 'aria-hidden': 'true' });
    line.append(shape('line', { x1: 0, x2: 36, y1: 5, y2: 5, 'stroke-width': 2.5,
      stroke: 'var(--series-' + (1 + i % SERIES) + ')', 'stroke-dasharray': DASHES[i % DASHES.length].join(' ') }));
    return element('li', {}, line, name);
  })));
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAll);
addEventListener('beforeprint', () => {
  document.documentElement.setAttribute('data-print', '');
  drawAll();
});
addEventListener('afterprint', () => {
  document.documentElement.removeAttribute('data-print');
  drawAll();
});
