// What Chart.js has no form for: intervals of points, and lines and bands at places of an axis.

function drawIntervals(chart) {
  const { ctx } = chart;
  chart.data.datasets.forEach((dataset, d) => {
    if (!dataset.intervals || !chart.isDatasetVisible(d)) {
      return;
    }
    ctx.save();
    ctx.strokeStyle = dataset.borderColor;
    ctx.lineWidth = 2;
    chart.getDatasetMeta(d).data.forEach((point, i) => {
      const interval = dataset.intervals[i];
      if (!interval) {
        return;
      }
      const from = chart.scales.x.getPixelForValue(interval.low);
      const to = chart.scales.x.getPixelForValue(interval.high);
      ctx.beginPath();
      ctx.moveTo(from, point.y);
      ctx.lineTo(to, point.y);
      for (const end of [from, to]) {
        ctx.moveTo(end, point.y - 5);
        ctx.lineTo(end, point.y + 5);
      }
      ctx.stroke();
    });
    ctx.restore();
  });
}

// A line: {x, colour, dash}.
function drawLines(chart, lines) {
  const { ctx, chartArea: area } = chart;
  for (const line of lines) {
    const x = chart.scales.x.getPixelForValue(line.x);
    if (x < area.left - 1 || x > area.right + 1) {
      continue;
    }
    ctx.save();
    ctx.strokeStyle = line.colour;
    ctx.lineWidth = line.width || 1.5;
    ctx.setLineDash(line.dash);
    ctx.beginPath();
    ctx.moveTo(x, area.top);
    ctx.lineTo(x, area.bottom);
    ctx.stroke();
    ctx.restore();
  }
}

// A bracket above the chart: {from, to, label, colour}; its label where there is room.
function drawBrackets(chart, brackets) {
  const { ctx, chartArea: area } = chart;
  ctx.save();
  ctx.font = '12px ' + Chart.defaults.font.family;
  ctx.textAlign = 'center';
  ctx.textBaseline = 'bottom';
  ctx.lineWidth = 1.5;
  for (const bracket of brackets) {
    const from = Math.max(area.left, chart.scales.x.getPixelForValue(bracket.from));
    const to = Math.min(area.right, chart.scales.x.getPixelForValue(bracket.to));
    const y = area.top - 4;
    if (to <= from) {
      continue; // beyond the data
    }
    ctx.strokeStyle = ctx.fillStyle = bracket.colour;
    ctx.beginPath();
    ctx.moveTo(from, y + 4);
    ctx.lineTo(from, y);
    ctx.lineTo(to, y);
    ctx.lineTo(to, y + 4);
    ctx.stroke();
    if (ctx.measureText(bracket.label).width < to - from - 4) {
      ctx.fillText(bracket.label, (from + to) / 2, y - 2);
    }
  }
  ctx.restore();
}

const marks = {
  id: 'marks',
  afterDatasetsDraw(chart, _, options) {
    drawIntervals(chart);
    drawLines(chart, options.lines || []);
    drawBrackets(chart, options.brackets || []);
  },
};
