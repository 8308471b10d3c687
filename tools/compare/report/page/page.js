// The page, of the document inside it.

// A command breaks between its words, not inside options.
function command(text) {
  return element('pre', { tabindex: '0' }, ...text.split(' ').flatMap((word) =>
    [element('span', { class: 'word' }, word), ' ']));
}

function fillRepeat(report, section) {
  const commands = (report.verdict && report.verdict.commands) || [];
  if (commands.length > 0) {
    section.append(element('h3', {}, 'Next'), ...commands.map(command));
  }
  section.append(element('h3', {}, 'This comparison'), command(report.command_line));
  const list = element('dl', { class: 'facts' });
  facts(list, [['Written', report.written], ['tare', report.tare_version],
    ['JSON document', 'version ' + report.json_version], ['CPU features', report.cpu_features],
    ['Cores', String(report.cores)], ['Date', report.date]]);
  section.append(list);
}

const SECTIONS = [...STRATEGY_SECTIONS, ...DATA_SECTIONS, ...LAYER_SECTIONS,
  { id: 'repeat', title: 'Repeat', applies: () => true, fill: fillRepeat }];

// Paths without the folders that tell none of them from another.
function shortNames(paths, all) {
  const parts = (path) => path.replace(/\/+$/, '').split('/');
  const end = (path, n) => parts(path).slice(-n).join('/');
  return paths.map((path) => {
    let n = 1;
    while (n < parts(path).length && all.some((other) => other !== path && end(other, n) === end(path, n))) {
      n += 1;
    }
    return end(path, n);
  });
}

function fillMasthead(report) {
  const [model] = shortNames([report.model], []);
  const data = (paths) => shortNames(paths, [...report.data, ...report.evaluation]);
  document.title = model + ' · tare compare';
  document.getElementById('title').textContent = model;
  const samples = report.calibrations.length > 0 ? report.calibrations[0].samples : 0;
  facts(document.getElementById('facts'), [
    ['Calibration data', [...data(report.data), plural(samples, 'sample')]],
    ['Evaluation data', [...data(report.evaluation), plural(report.fp32.samples, 'sample')]],
    ['Profiles', report.profiles.map((text, i) => (report.profiles.length > 1 ? i + ': ' + text : text))],
    ['Made', [report.date.replace('T', ' ').replace('Z', ' UTC'), 'tare ' + report.tare_version +
      ', ' + report.cpu_features + ', ' + plural(report.cores, 'core')]],
  ]);
  document.getElementById('colophon').textContent = 'Made by tare ' + report.tare_version +
    ' with Chart.js ' + Chart.version + '. The page needs no network.';
}

function fillPage(report) {
  const main = document.getElementById('main');
  const contents = document.getElementById('contents');
  fillMasthead(report);
  for (const part of SECTIONS.filter((s) => s.applies(report))) {
    const section = element('section', { id: part.id, 'aria-labelledby': part.id + '-title' },
      element('h2', { id: part.id + '-title' }, part.title));
    main.append(section);
    contents.append(element('li', {}, element('a', { href: '#' + part.id }, part.title)));
    part.fill(report, section);
  }
  drawAll();
}

fillPage(JSON.parse(document.getElementById('document').textContent));
