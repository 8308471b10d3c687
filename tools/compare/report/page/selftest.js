// With the fragment #selftest the page says whether it is drawn: an object in the element "selftest".

// The picture between the axes.
function pixelsOf(chart) {
  const { canvas, chartArea: area, currentDevicePixelRatio: ratio } = chart;
  const [width, height] = [area.width, area.height].map((n) => Math.max(1, Math.floor(ratio * n)));
  const copy = element('canvas', { width, height }).getContext('2d', { willReadFrequently: true });
  copy.drawImage(canvas, -ratio * area.left, -ratio * area.top);
  return copy.getImageData(0, 0, width, height).data;
}

// How many pixels have the colour of some data; axes and marks have others.
function dataPixels(chart) {
  const colours = new Set(chart.data.datasets.map((d) => d.backgroundColor).filter(Boolean));
  const wanted = new Set([...colours].map((colour) => parseInt(colour.slice(1), 16)));
  const bytes = pixelsOf(chart);
  let n = 0;
  for (let i = 0; i < bytes.length; i += 4) {
    n += bytes[i + 3] === 255 && wanted.has((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
  }
  return n;
}

if (location.hash === '#selftest') {
  const result = {
    width: innerWidth,
    title: document.getElementById('title').textContent,
    overflow: document.documentElement.scrollWidth - innerWidth,
    sections: SECTIONS.map((s) => s.id).filter((id) => document.getElementById(id)),
    tables: Array.from(document.querySelectorAll('.scroll'), (node) => node.getAttribute('aria-label')),
    charts: charts.map((entry) => ({ label: entry.canvas.getAttribute('aria-label'), drawn: dataPixels(entry.chart) })),
  };
  document.body.append(element('pre', { id: 'selftest' }, JSON.stringify(result)));
}
