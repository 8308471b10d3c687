// How the strategies came out.

function strategyName(strategy) {
  return strategy.fit + (strategy.padding_counted ? ' counted' : '') + ', ' + strategy.method;
}

function ranked(report) {
  return report.strategies.filter((s) => s.rank > 0).sort((a, b) => a.rank - b.rank);
}

function methodsOf(report) {
  return [...new Set(report.strategies.map((s) => s.method))];
}

function metricValue(report, score) {
  return score.metric && known(score.metric.value) ? report.metric.factor * score.metric.value : null;
}

function metricTitle(metric) {
  return metric.name + (metric.unit ? ' ' + metric.unit : '');
}

function sqnrText(score, value) {
  return score.equal ? 'equal' : fixed(value, 2);
}

// What the comparison says, where the document has no verdict.
function plainVerdict(report) {
  const order = ranked(report);
  if (order.length === 0) {
    return 'No strategy could be built.';
  }
  const first = strategyName(order[0]);
  const equal = order.filter((s) => s.equal_within_noise).length;
  const by = report.metric ? report.metric.name : 'SQNR';
  return order.length === 1 ? first + ' is the only strategy.'
    : equal === 1 ? first + ' is best: its ' + by + ' differs from that of every other strategy.'
      : first + ' ranks first by SQNR. ' + plural(equal - 1, 'other strateg').replace(/strategs?$/,
        equal === 2 ? 'strategy is' : 'strategies are') + ' equal to it within noise.';
}

function fillVerdict(report, section) {
  const verdict = report.verdict || { sentence: plainVerdict(report), reasons: [] };
  const box = element('div', { class: 'verdict' }, element('p', {}, verdict.sentence));
  if (verdict.sure === false) {
    box.append(element('p', { class: 'note' }, 'The samples are too few to be sure.'));
  }
  if (verdict.reasons && verdict.reasons.length > 0) {
    box.append(element('ul', {}, ...verdict.reasons.map((reason) => element('li', {}, reason))));
  }
  section.append(box);
  const failed = report.strategies.filter((s) => s.error);
  for (const s of failed) {
    section.append(element('p', { class: 'notice' }, strategyName(s) + ' failed: ' + s.error));
  }
  if (report.requirements && report.requirements.length > 0) {
    section.append(element('h3', {}, 'Requirements'), table('Requirements', [
      { head: 'Requirement', header: true, cell: (r) => r.requirement },
      { head: 'Value', number: true, cell: (r) => fixed(r.value, 3) },
      { head: 'Bound', number: true, cell: (r) => fixed(r.bound, 3) },
      { head: 'Outcome', cell: (r) => element('span', { class: r.fulfilled ? 'good' : 'bad' },
        (r.fulfilled ? 'holds' : 'fails') + (r.sure ? ', for sure' : ', perhaps by chance')) },
    ], report.requirements));
  }
}

// A dot with its interval for each strategy. `value` and `interval` read them of a strategy.
function dots(parent, report, { title, note, unit, value, interval, zero }) {
  const order = ranked(report);
  const methods = methodsOf(report);
  if (!order.some((s) => known(value(s)))) {
    return; // plans that are equal to fp32 have no finite SQNR
  }
  const text = (s) => strategyName(s) + ' ' + fixed(value(s), 2) + ' (' + span(interval(s), 2) + ')';
  figure(parent, {
    title, note, height: 26 * order.length + 70,
    label: title + ', by rank: ' + order.map(text).join('; '),
    config: (colours) => ({
      type: 'line',
      data: {
        labels: order.map(strategyName),
        datasets: [{
          data: order.map(value),
          intervals: order.map(interval),
          showLine: false,
          pointStyle: order.map((s) => look(colours, methods.indexOf(s.method)).point),
          pointRadius: order.map((s) => look(colours, methods.indexOf(s.method)).radius),
          borderColor: colours.series[0],
          backgroundColor: colours.series[0],
        }],
      },
      options: {
        indexAxis: 'y',
        layout: { padding: { right: 8 } },
        scales: {
          x: axis(colours, unit, { grace: '6%', ...limits(order, value, interval, zero) }),
          y: axis(colours, '', { offset: true, ticks: { autoSkip: false, color: colours.text,
            callback(i) { return shorten(this.getLabelForValue(i), 26); } } }),
        },
        plugins: { marks: { lines: zero ? [{ x: 0, colour: colours.faint, dash: [4, 3] }] : [] } },
      },
    }),
  });
}

// Room for the intervals, which the axis itself does not see.
function limits(order, value, interval, zero) {
  const all = order.flatMap((s) => [value(s), ...(interval(s) ? [interval(s).low, interval(s).high] : [])])
    .filter(known).concat(zero ? [0] : []);
  return all.length > 0 ? { suggestedMin: Math.min(...all), suggestedMax: Math.max(...all) } : {};
}

// Of the kind that the outputs have.
function agreementText(agreement) {
  const words = { top1: 'top-1', edits: 'edits', cosine: 'cosine', equal: 'equal' };
  if (!agreement) {
    return NONE;
  }
  return words[agreement.kind] + ' ' + (agreement.kind === 'cosine' ? fixed(agreement.value, 5)
    : fixed(100 * agreement.value, 2) + '\u00a0%');
}

function rankingColumns(report) {
  const { metric } = report;
  const compared = (s) => (s.rank ? s.sqnr_to_first : null);
  return [
    { head: 'Rank', number: true, cell: (s) => (s.rank ? (s.equal_within_noise ? '= ' : '') + s.rank : '') },
    { head: 'Strategy', header: true, cell: (s) => (s.rank ? strategyName(s) : 'fp32') },
    ...(metric ? [
      { head: metricTitle(metric), number: true, cell: (s) => fixed(metricValue(report, s), 3) },
      { head: 'to fp32 (95\u00a0%)', number: true, cell: (s) => span(scaled(s.to_fp32, metric.factor), 2, signed) },
      { head: 'to best (95\u00a0%)', number: true, cell: (s) => span(scaled(s.to_best, metric.factor), 2, signed) },
    ] : []),
    { head: 'SQNR dB', number: true, cell: (s) => (s.rank ? sqnrText(s, s.sqnr_db) : NONE) },
    { head: '95\u00a0%', number: true, cell: (s) => span(s.sqnr_interval, 2) },
    { head: 'to first dB (95\u00a0%)', number: true, cell: (s) => span(compared(s), 2, signed) },
    { head: 'agreement', number: true, cell: (s) => agreementText(s.agreement) },
    { head: 'ms a sample', number: true, cell: (s) => fixed(milliseconds(s), 3) },
  ];
}

// Each fit beside each method, where there are several of both.
function matrix(parent, report) {
  const fitName = (s) => s.fit + (s.padding_counted ? ' counted' : '');
  const order = ranked(report);
  const fits = [...new Set(order.map(fitName))];
  const methods = [...new Set(order.map((s) => s.method))];
  const { metric } = report;
  const text = (s) => (metric ? fixed(metricValue(report, s), 3) : sqnrText(s, s.sqnr_db));
  const interval = (s) => (metric ? span(scaled(s.to_fp32, metric.factor), 2, signed) : span(s.sqnr_interval, 2));
  const cell = (fit, method) => {
    const s = order.find((o) => fitName(o) === fit && o.method === method);
    return s ? element('span', {}, (s.equal_within_noise ? '= ' : '') + text(s), element('br'),
      element('small', {}, interval(s))) : NONE;
  };
  if (fits.length < 2 || methods.length < 2) {
    return;
  }
  parent.append(element('h3', {}, (metric ? metricTitle(metric) : 'SQNR dB') + ' by fit and method'),
    element('p', { class: 'note' }, metric ? 'Below each value the 95 % interval of its difference to fp32.'
      : 'Below each value its 95 % interval.'),
    table('Fits and methods', [{ head: 'Fit', header: true, cell: (fit) => fit },
      ...methods.map((method) => ({ head: method, number: true, cell: (fit) => cell(fit, method) }))], fits),
    element('h3', {}, 'By rank'));
}

function milliseconds(score) {
  return score.samples > 0 ? 1000 * score.run_seconds / score.samples : null;
}

function fillRanking(report, section) {
  const { metric } = report;
  const pair = element('div', { class: 'pair' });
  section.append(element('p', { class: 'note' }, 'Intervals of 95 % by a bootstrap over ' +
    plural(report.fp32.samples, 'sample') + '. Strategies are in the order of their rank; those ' +
    'with = are equal to the best within noise. The shape of a point says the method.'), pair);
  dots(pair, report, { title: 'SQNR of the outputs', unit: 'dB', value: (s) => s.sqnr_db,
    interval: (s) => scaled(s.sqnr_interval, 1) });
  if (metric) {
    dots(pair, report, { title: metric.name + ' minus that of fp32', unit: metric.difference_unit, zero: true,
      value: (s) => (known(s.to_fp32.value) ? metric.factor * s.to_fp32.value : null),
      interval: (s) => scaled(s.to_fp32, metric.factor) });
  }
  matrix(section, report);
  section.append(table('Strategies by rank', rankingColumns(report), [report.fp32, ...ranked(report)],
    (s) => (s.rank === 1 ? 'first' : '')));
}

const CLEARLY_FASTER = 1.1;

// What is clearly faster than all that are as accurate or more so: points are in the order of their accuracy, as
// the ranking has it, so that noise of neither decides.
function paretoFront(points) {
  return points.filter((p, i) => points.slice(0, i).every((q) => CLEARLY_FASTER * p.x < q.x))
    .sort((a, b) => a.x - b.x);
}

// Whether fp32 is better than the strategy that ranks first, beyond noise.
function floatIsBest(report) {
  const first = ranked(report)[0];
  const { low, high } = first.to_fp32;
  return known(low) && (report.metric.lower_is_better ? low > 0 : high < 0);
}

// Milliseconds a sample, the median of plans of one precision: thresholds do not change it.
function typicalTime(strategy, strategies) {
  const work = (s) => [s.precision, s.own && strategyName(s), fixed(s.int8_share, 2)].join(' ');
  const times = strategies.filter((s) => work(s) === work(strategy)).map(milliseconds).filter(known)
    .sort((a, b) => a - b);
  const middle = Math.floor(times.length / 2);
  return times.length % 2 === 1 || times.length === 0 ? times[middle] : (times[middle - 1] + times[middle]) / 2;
}

// In the order of their accuracy.
function tradePoints(report) {
  const { metric } = report;
  const value = (s) => (metric ? metricValue(report, s) : s.sqnr_db);
  const of = (s, name, method) => ({ x: typicalTime(s, ranked(report)), y: value(s), name, method });
  const strategies = ranked(report).map((s) => of(s, strategyName(s), s.method));
  const float = metric && strategies.length > 0 ? [{ ...of(report.fp32, 'fp32', 'fp32'), x: milliseconds(report.fp32) }] : [];
  return (float.length > 0 && floatIsBest(report) ? [...float, ...strategies] : [...strategies, ...float])
    .filter((p) => known(p.x) && known(p.y));
}

// An axis of one value alone begins at 0 if it can.
function flat(values) {
  const all = Math.min(...values) === Math.max(...values);
  return all && values[0] > 0 ? { beginAtZero: true } : all && values[0] === 0 ? { min: 0, suggestedMax: 1 } : {};
}

function fillTrade(report, section) {
  const points = tradePoints(report);
  const front = paretoFront(points);
  const kinds = [...new Set(points.map((p) => p.method))];
  const unit = report.metric ? metricTitle(report.metric) : 'SQNR dB';
  section.append(element('p', {}, 'Fastest for their accuracy, by a tenth or more: ' + front.map((p) => p.name).join('; ') + '.'),
    element('p', { class: 'note' }, 'Time of the runs of the evaluation; that of plans that differ in their ' +
      'thresholds alone is the median of theirs. It is a guide: tare bench measures a plan alone.'));
  figure(section, {
    height: 380,
    label: unit + ' against time: ' + points.map((p) => p.name + ' ' + fixed(p.y, 3) + ' at ' + fixed(p.x, 3) +
      ' ms').join('; '),
    config: (colours) => ({
      type: 'scatter',
      data: {
        datasets: [
          ...kinds.map((kind, i) => ({ kind, ...look(colours, i), ...(kind === 'fp32' ? { colour: colours.text } : {}) }))
            .map(({ kind, point, radius, colour }) => ({
              label: kind, data: points.filter((p) => p.method === kind), pointStyle: point,
              pointRadius: radius + 1, borderColor: colour, borderWidth: 2, backgroundColor: colour,
              clip: false, // points on an axis are whole
            })),
          { label: 'Pareto front', data: front, showLine: true, stepped: 'before', pointRadius: 10,
            borderColor: colours.faint, borderDash: [5, 4], borderWidth: 1.5, pointStyle: 'circle',
            backgroundColor: 'transparent', clip: false },
        ],
      },
      options: {
        scales: {
          x: axis(colours, 'ms a sample', { grace: '10%' }),
          y: axis(colours, unit, { grace: '10%', ...flat(points.map((p) => p.y)) }),
        },
        plugins: {
          legend: below(colours),
          tooltip: { callbacks: { label: (item) => item.raw.name + ': ' + fixed(item.raw.y, 3) + ', ' +
            fixed(item.raw.x, 3) + ' ms' } },
        },
      },
    }),
    data: table('Accuracy and time', [
      { head: 'Plan', header: true, cell: (p) => p.name },
      { head: unit, number: true, cell: (p) => fixed(p.y, 3) },
      { head: 'ms a sample', number: true, cell: (p) => fixed(p.x, 3) },
      { head: 'Pareto front', cell: (p) => (front.includes(p) ? 'yes' : 'no') },
    ], points),
  });
}

// The groups of samples by length, or if the document has none, by profile: {name, samples, of: the
// score of a strategy in it}.
function lengthGroups(report) {
  if (report.lengths && report.lengths.length > 0) {
    return report.lengths.map((g, i) => ({ name: count(g.min) + ' to ' + count(g.max), samples: g.samples,
      of: (s) => s.lengths[i] }));
  }
  return report.profiles.map((_, i) => ({ name: 'profile ' + i, samples: report.fp32.profiles[i].samples,
    of: (s) => s.profiles[i] }));
}

function groupChart(parent, report, groups) {
  const shown = ranked(report).slice(0, SERIES);
  const value = (s, g) => (g.of(s).samples > 0 ? g.of(s).sqnr_db : null);
  figure(parent, {
    title: 'SQNR by length', height: 320 + 12 * shown.length,
    note: shown.length < ranked(report).length ? 'Of the ' + shown.length + ' strategies that rank first.' : null,
    label: 'SQNR by length: ' + shown.map((s) => strategyName(s) + ' ' +
      groups.map((g) => fixed(value(s, g), 1)).join(', ')).join('; '),
    config: (colours) => ({
      type: 'line',
      data: {
        labels: groups.map((g) => g.name),
        datasets: shown.map((s, i) => ({
          label: strategyName(s), data: groups.map((g) => value(s, g)), borderColor: look(colours, i).colour,
          backgroundColor: look(colours, i).colour, borderDash: look(colours, i).dash, borderWidth: 2,
          pointStyle: look(colours, i).point, pointRadius: look(colours, i).radius, spanGaps: true,
        })),
      },
      options: {
        scales: { x: axis(colours, report.length_symbol || '', { offset: true }),
          y: axis(colours, 'SQNR dB', { grace: '10%' }) },
        plugins: { legend: { ...below(colours), align: 'start' } },
      },
    }),
  });
}

function fillByLength(report, section) {
  const { metric } = report;
  const groups = lengthGroups(report);
  const value = (score) => (metric ? fixed(metricValue(report, score), 3) : sqnrText(score, score.sqnr_db));
  if (ranked(report).some((s) => groups.some((g) => known(g.of(s).sqnr_db)))) {
    groupChart(section, report, groups);
  }
  section.append(element('h3', {}, metric ? metricTitle(metric) : 'SQNR dB'), longTable('Results by length', [
    { head: 'Strategy', header: true, cell: (s) => (s.rank ? strategyName(s) : 'fp32') },
    ...groups.map((g) => ({ head: unbroken(g.name + ',') + ' ' + unbroken(plural(g.samples, 'sample')), number: true,
      cell: (s) => (g.of(s).samples > 0 ? value(g.of(s)) : NONE) })),
  ], metric ? [report.fp32, ...ranked(report)] : ranked(report)));
}

// With a gain range: a table of a figure at each level.
function levelTable(section, report, title, value, rows) {
  section.append(element('h3', {}, title), longTable(title + ' by level', [
    { head: 'Strategy', header: true, cell: (s) => (s.rank ? strategyName(s) : 'fp32') },
    ...report.fp32.levels.map((level, i) => ({ head: signed(level.gain_db, 0) + '\u00a0dB', number: true,
      cell: (s) => value(s.levels[i]) })),
  ], rows));
}

function fillLevels(report, section) {
  const { metric } = report;
  section.append(element('p', { class: 'note' }, 'Results with a gain on each sample. The lowest SQNR of a ' +
    'strategy is what counts.'));
  levelTable(section, report, 'SQNR dB', (level) => sqnrText(level, level.sqnr_db), ranked(report));
  if (metric) {
    levelTable(section, report, metricTitle(metric), (level) => fixed(metricValue(report, level), 3),
      [report.fp32, ...ranked(report)]);
  }
}

// Samples that differ most from float, of the strategy that ranks first.
function fillWorst(report, section) {
  const { worst, metric } = report;
  const has = (member) => worst.some((w) => w[member] !== undefined && w[member] !== null);
  const shown = (w, member) => (known(w[member]) ? fixed(metric.factor * w[member], 3) : NONE);
  section.append(element('p', { class: 'note' }, 'Of the strategy that ranks first: the samples that are the most ' +
    'worse than in float.'), table('Samples that differ most', [
    { head: 'Sample', header: true, name: true, cell: (w) => w.sample },
    ...(has('length') ? [{ head: report.length_symbol, number: true, cell: (w) => count(w.length) }] : []),
    { head: 'SQNR dB', number: true, cell: (w) => sqnrText(w, w.sqnr_db) },
    ...(metric ? [{ head: metricTitle(metric), number: true, cell: (w) => shown(w, 'metric') },
      { head: 'of fp32', number: true, cell: (w) => shown(w, 'reference') }] : []),
    ...(has('answer') ? [{ head: 'Answer', name: true, cell: (w) => w.answer || '' },
      { head: 'Answer of fp32', name: true, cell: (w) => w.reference_answer || '' }] : []),
  ], worst));
}

// Strategies side by side that differ in one thing.
function fillPairs(report, section) {
  const name = (i) => strategyName(report.strategies[i]);
  const scales = (p) => (p.scales && p.scales.tensors > 0 ? count(p.scales.grown) + ' larger, ' +
    count(p.scales.shrunk) + ' smaller of ' + count(p.scales.tensors) : NONE);
  const most = (p) => (p.scales && p.scales.most && p.scales.most.length > 0 ? p.scales.most[0].tensor + ' × ' +
    significant(p.scales.most[0].ratio) : NONE);
  section.append(element('p', { class: 'note' }, 'Differences are those of the first strategy minus the second, ' +
    'with 95 % intervals; scales count that differ more than twofold.'), longTable('Pairs of strategies', [
    { head: 'Strategy', header: true, cell: (p) => name(p.strategy) },
    { head: 'beside', line: true, cell: (p) => name(p.base) },
    { head: 'They differ in', line: true, cell: (p) => p.axis },
    { head: 'It is', line: true, cell: (p) => p.effect },
    { head: 'SQNR dB', number: true, cell: (p) => span(p.sqnr, 2, signed) },
    ...(report.metric ? [{ head: report.metric.name + ', ' + report.metric.difference_unit, number: true,
      cell: (p) => span(scaled(p.metric, report.metric.factor), 2, signed) }] : []),
    { head: 'Scales', line: true, cell: scales },
    { head: 'Largest change', name: true, cell: most },
  ], report.pairs));
}

const STRATEGY_SECTIONS = [
  { id: 'verdict', title: 'Verdict', applies: () => true, fill: fillVerdict },
  { id: 'strategies', title: 'Strategies', applies: (r) => ranked(r).length > 0, fill: fillRanking },
  { id: 'trade', title: 'Accuracy and time', applies: (r) => tradePoints(r).some((p) => p.method !== 'fp32'),
    fill: fillTrade },
  { id: 'pairs', title: 'Differences', applies: (r) => r.pairs && r.pairs.length > 0, fill: fillPairs },
  { id: 'by-length', title: 'By length', applies: (r) => lengthGroups(r).length > 1 && ranked(r).length > 0,
    fill: fillByLength },
  { id: 'levels', title: 'By level', applies: (r) => r.fp32.levels && r.fp32.levels.length > 0 &&
    ranked(r).length > 0, fill: fillLevels },
  { id: 'worst', title: 'Worst samples', applies: (r) => r.worst && r.worst.length > 0, fill: fillWorst },
];
