// Colours of the charts, from the style sheet. Series differ by shape, dash or label too.

const SERIES = 6;
const POINTS = ['circle', 'rectRot', 'triangle', 'rect', 'star', 'crossRot'];
const RADII = [4, 5, 5, 5, 5, 5]; // that look alike
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [12, 4]];

function theme() {
  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue('--' + name).trim();
  return {
    text: variable('text'),
    faint: variable('faint'),
    fill: variable('fill'),
    grid: variable('grid'),
    series: Array.from({ length: SERIES }, (_, i) => variable('series-' + (i + 1))),
    font: getComputedStyle(document.body).fontFamily,
  };
}

// The colour, point and dash of the i-th of a series.
function look(colours, i) {
  return { colour: colours.series[i % colours.series.length], point: POINTS[i % POINTS.length],
    radius: RADII[i % RADII.length],
    dash: DASHES[i % DASHES.length] };
}
