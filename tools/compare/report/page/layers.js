// Layers of the plan of the strategy that ranks first.

function precisionTable(report) {
  const { by_precision: sums } = report.plan;
  const all = sums.reduce((sum, p) => sum + p.macs, 0);
  return table('Precisions', [
    { head: 'Precision', header: true, cell: (p) => p.precision },
    { head: 'Layers', number: true, cell: (p) => count(p.layers) },
    { head: 'Multiply-adds', number: true, cell: (p) => (all > 0 ? fixed(100 * p.macs / all, 1) + ' %' : NONE) },
    { head: 'Weights', number: true, cell: (p) => bytes(p.weight_bytes) },
  ], sums);
}

function layerColumns() {
  return [
    { head: 'Layer', number: true, cell: (l) => String(l.layer) },
    { head: 'Name', header: true, name: true, cell: (l) => l.name },
    { head: 'Operator', cell: (l) => l.op },
    { head: 'Precision', cell: (l) => l.precision },
    { head: 'SQNR dB', number: true, cell: (l) => (l.equal ? 'equal' : fixed(l.sqnr_db, 1)) },
    { head: 'of its inputs', number: true, cell: (l) => fixed(l.input_sqnr_db, 1) },
    { head: 'Why', name: true, cell: (l) => l.why },
  ];
}

function layerChart(parent, layers) {
  const shown = layers.filter((l) => known(l.sqnr_db));
  const precisions = [...new Set(shown.map((l) => l.precision))];
  const worst = shown.reduce((a, b) => (b.sqnr_db < a.sqnr_db ? b : a));
  figure(parent, {
    height: 340,
    label: 'SQNR of the outputs of ' + plural(shown.length, 'layer') + '; the lowest is ' + fixed(worst.sqnr_db, 1) +
      ' dB, of ' + worst.name,
    config: (colours) => ({
      type: 'line',
      data: { datasets: precisions.map((precision, i) => ({
        label: precision, data: shown.filter((l) => l.precision === precision)
          .map((l) => ({ x: l.layer, y: l.sqnr_db, name: l.name })),
        showLine: false, pointStyle: look(colours, i).point, pointRadius: look(colours, i).radius, borderColor: look(colours, i).colour,
        backgroundColor: look(colours, i).colour, borderWidth: 2,
      })) },
      options: {
        scales: {
          x: axis(colours, 'layer, in the order of the plan', { type: 'linear', min: shown[0].layer - 0.5,
            max: shown[shown.length - 1].layer + 0.5, ticks: { precision: 0, includeBounds: false } }),
          y: axis(colours, 'SQNR dB', { grace: '5%' }),
        },
        plugins: {
          legend: below(colours),
          tooltip: { callbacks: { title: () => '', label: (item) => shorten(item.raw.name, 48) + ': ' +
            fixed(item.raw.y, 1) + ' dB' } },
        },
      },
    }),
  });
}

function fillLayers(report, section) {
  const { plan } = report;
  const layers = plan.layers;
  section.append(element('p', {}, 'The plan of ' + plan.fit + (plan.padding_counted ? ' counted' : '') + ', ' +
    plan.method + ': ' + plural(plan.n_layers, 'layer') + '. The SQNR compares the output of each layer with that of ' +
    'the float model, over ' + plural(plan.samples, 'sample') + ' of the evaluation; where it drops, accuracy ' +
    'is lost.'), precisionTable(report));
  if (layers.some((l) => known(l.sqnr_db))) {
    layerChart(section, layers);
  }
  const left = plan.n_layers - layers.length;
  section.append(details('All layers' + (left > 0 ? ', but ' + count(left) + ' that are left out' : ''),
    table('Layers', layerColumns(), layers)));
}

const LAYER_SECTIONS = [
  { id: 'layers', title: 'Layers', applies: (r) => Boolean(r.plan), fill: fillLayers },
];
