// Lengths of the data, and ranges of tensors.

function lengthRows(symbol) {
  const { low, width } = symbol;
  return symbol.calibration.counts.map((n, i) => ({ from: low + i * width, to: low + (i + 1) * width - 1,
    calibration: n, evaluation: symbol.evaluation.counts[i] }));
}

// A line of steps from the left end of the first bin to the right end of the last one.
function toEdges(points, width) {
  const [first, last] = [points[0], points[points.length - 1]];
  return [{ x: first.x - width / 2, y: first.y }, ...points, { x: last.x + width / 2, y: last.y }];
}

function lengthChart(parent, symbol) {
  const rows = lengthRows(symbol);
  const { low, width } = symbol;
  const share = (set) => set.counts.map((n, i) => ({ x: low + (i + 0.5) * width, y: 100 * n / set.samples }));
  const text = (name, set) => name + ' ' + plural(set.samples, 'sample') + ', ' + count(set.min) + ' to ' +
    count(set.max) + ', median ' + count(set.median);
  const note = text('Calibration:', symbol.calibration) + '. ' + text('Evaluation:', symbol.evaluation) + '.' +
    (symbol.profiles.length > 0 ? ' Brackets are profiles, dashed lines their opt.' : '');
  figure(parent, {
    title: symbol.symbol, note, height: 300, label: 'Histogram of ' + symbol.symbol + '. ' + note,
    config: (colours) => ({
      type: 'bar',
      data: {
        datasets: [
          { label: 'calibration', data: share(symbol.calibration), grouped: false, barPercentage: 0.92,
            categoryPercentage: 1, backgroundColor: colours.series[0], pointStyle: 'rect', order: 2 },
          { label: 'evaluation', type: 'line', data: toEdges(share(symbol.evaluation), width), stepped: 'middle',
            borderColor: colours.series[1], backgroundColor: colours.series[1], borderWidth: 2, pointRadius: 0,
            pointStyle: 'line', order: 1 },
        ],
      },
      options: {
        layout: { padding: { top: 24 } },
        scales: {
          x: axis(colours, symbol.symbol, { type: 'linear', min: low, max: low + width * rows.length, offset: false,
            ticks: { includeBounds: false } }),
          y: axis(colours, '% of the samples', { beginAtZero: true }),
        },
        plugins: {
          legend: below(colours),
          tooltip: { enabled: false },
          marks: {
            brackets: symbol.profiles.map((p, i) => ({ from: p.min, to: p.max, label: 'profile ' + i,
              colour: colours.text })),
            lines: symbol.profiles.map((p) => ({ x: p.opt, colour: colours.text, dash: [4, 3], width: 1 })),
          },
        },
      },
    }),
    data: table('Lengths of ' + symbol.symbol, [
      { head: 'From', header: true, cell: (r) => count(r.from) },
      { head: 'To', number: true, cell: (r) => count(r.to) },
      { head: 'Calibration', number: true, cell: (r) => count(r.calibration) },
      { head: 'Evaluation', number: true, cell: (r) => count(r.evaluation) },
    ], rows),
  });
}

function fillLengths(report, section) {
  report.length_histograms.forEach((symbol) => lengthChart(section, symbol));
  section.append(element('h3', {}, 'Calibration runs'), table('Calibration runs', [
    { head: 'Fit', header: true, cell: (c) => c.fit + (c.padding_counted ? ', padding counted' : '') },
    { head: 'Samples', number: true, cell: (c) => count(c.samples) },
    { head: 'Cut', number: true, cell: (c) => count(c.cut) },
    { head: 'Padded', number: true, cell: (c) => count(c.padded) },
    { head: 'Lost in cut samples', number: true, cell: (c) => fixed(100 * c.lost, 1) + ' %' },
    ...(report.calibrations.some((c) => known(c.padding)) ? [{ head: 'Padding', number: true,
      cell: (c) => fixed(100 * c.padding, 1) + ' %' }] : []),
    { head: 'Seconds', number: true, cell: (c) => fixed(c.seconds, 1) },
    { head: 'Peak memory', number: true, cell: (c) => bytes(c.peak_bytes) },
  ], report.calibrations));
}

function thresholdText(tensor) {
  return tensor.thresholds.map((t) => t.method + ' ' + significant(t.amax)).join(', ');
}

function tensorChart(parent, tensor, methods) {
  const { low, width, counts } = tensor.histogram;
  const both = low < 0;
  figure(parent, {
    title: shorten(tensor.name, 30), height: 210,
    label: 'Histogram of ' + tensor.name + ' from ' + significant(tensor.min) + ' to ' + significant(tensor.max) +
      '; thresholds: ' + thresholdText(tensor),
    config: (colours) => ({
      type: 'bar',
      data: { datasets: [{ data: counts.map((n, i) => ({ x: low + (i + 0.5) * width, y: n || null })),
        grouped: false, barPercentage: 1, categoryPercentage: 1, backgroundColor: colours.fill }] },
      options: {
        scales: {
          x: axis(colours, 'value', { type: 'linear', min: both ? low - width : low,
            max: low + width * (counts.length + 1), offset: false, // room for lines at the ends
            ticks: { maxTicksLimit: 7, includeBounds: false, callback: significant } }),
          y: axis(colours, 'elements', { type: 'logarithmic', min: 0.5, ticks: { maxTicksLimit: 5,
            callback: (v) => (Number.isInteger(Math.log10(v)) ? powerOfTen(v) : null) } }),
        },
        plugins: {
          tooltip: { enabled: false },
          marks: { lines: tensor.thresholds.flatMap((t) => (both ? [-t.amax, t.amax] : [t.amax]).map((x) =>
            ({ x, width: 2, colour: look(colours, methods.indexOf(t.method)).colour,
              dash: look(colours, methods.indexOf(t.method)).dash }))) },
        },
      },
    }),
    data: [element('p', {}, tensor.name), tensorTable(tensor)],
  });
}

function powerOfTen(value) {
  const digits = '⁰¹²³⁴⁵⁶⁷⁸⁹';
  return '10' + String(Math.log10(value)).replace(/\d/g, (d) => digits[d]);
}

function tensorTable(tensor) {
  return table('Thresholds of ' + tensor.name, [
    { head: 'Method', header: true, cell: (t) => t.method },
    { head: 'Threshold', number: true, cell: (t) => significant(t.amax) },
    { head: 'Energy clipped', number: true, cell: (t) => (known(t.energy_lost)
      ? significant(100 * t.energy_lost) + ' %' : NONE) },
  ], tensor.thresholds);
}

function fillTensors(report, section) {
  const { tensors } = report;
  const methods = [...new Set(tensors.items.flatMap((t) => t.thresholds.map((m) => m.method)))];
  section.append(element('p', {}, 'The ' + plural(tensors.items.length, 'tensor') + ' on whose threshold the ' +
    'methods agree least, of ' + count(tensors.total) + ', in the calibration with fit ' + tensors.fit +
    (tensors.padding_counted ? ' and padding counted' : '') + '. Lines are the thresholds of the methods: values ' +
    'beyond them are clipped.'));
  legend(section, methods);
  const grid = element('div', { class: 'grid' });
  section.append(grid);
  tensors.items.forEach((tensor) => tensorChart(grid, tensor, methods));
}

function amaxOf(range) {
  return known(range.min) ? Math.max(Math.abs(range.min), Math.abs(range.max)) : null;
}

function fillRanges(report, section) {
  const { items, total } = report.ranges;
  const magnitudes = items.flatMap((t) => t.profiles.map(amaxOf)).filter((m) => m > 0);
  const short = (tensor) => shorten(tensor.name, 30);
  section.append(element('p', {}, 'The largest magnitude in each profile, of the ' + plural(items.length, 'tensor') +
    ' where it differs most, of ' + count(total) + '. Where lines rise or fall, one scale for all lengths ' +
    'wastes steps in some of them.'));
  figure(section, {
    height: 340 + 22 * items.length,
    label: 'Largest magnitude by profile: ' + items.map((t) => t.name + ' ' +
      t.profiles.map((p) => significant(amaxOf(p))).join(', ')).join('; '),
    config: (colours) => ({
      type: 'line',
      data: {
        labels: report.profiles.map((text, i) => 'profile ' + i),
        datasets: items.map((tensor, i) => ({
          label: short(tensor), data: tensor.profiles.map(amaxOf), borderColor: look(colours, i).colour,
          backgroundColor: look(colours, i).colour, borderDash: look(colours, i).dash,
          pointStyle: look(colours, i).point, pointRadius: look(colours, i).radius, borderWidth: 2, spanGaps: true,
        })),
      },
      options: {
        scales: {
          x: axis(colours, '', { offset: true }),
          y: axis(colours, 'amax', { type: 'logarithmic', min: 0.8 * Math.min(...magnitudes),
            max: 1.25 * Math.max(...magnitudes), ticks: { callback: significant, maxTicksLimit: 8 } }),
        },
        plugins: { legend: { ...below(colours), align: 'start' } },
      },
    }),
    data: table('Largest magnitude by profile', [
      { head: 'Tensor', header: true, name: true, cell: (t) => t.name },
      ...report.profiles.map((text, i) => ({ head: 'profile ' + i, number: true,
        cell: (t) => significant(amaxOf(t.profiles[i])) })),
    ], items),
  });
}

const DATA_SECTIONS = [
  { id: 'lengths', title: 'Lengths', applies: (r) => r.length_histograms && r.length_histograms.length > 0, fill: fillLengths },
  { id: 'tensors', title: 'Thresholds', applies: (r) => r.tensors && r.tensors.items.length > 0, fill: fillTensors },
  { id: 'ranges', title: 'Ranges', applies: (r) => r.ranges && r.ranges.items.length > 0, fill: fillRanges },
];
