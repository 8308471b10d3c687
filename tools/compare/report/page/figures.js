// Numbers as texts.

const NONE = '–';

function known(value) {
  return typeof value === 'number' && Number.isFinite(value);
}

function fixed(value, decimals) {
  return known(value) ? value.toFixed(decimals).replace('-', '−') : NONE;
}

function signed(value, decimals) {
  return known(value) && value > 0 ? '+' + fixed(value, decimals) : fixed(value, decimals);
}

function span(interval, decimals, show = fixed) {
  return interval && known(interval.low) && known(interval.high)
    ? show(interval.low, decimals) + ' … ' + show(interval.high, decimals) : NONE;
}

function scaled(interval, factor) {
  return interval && known(interval.low) && known(interval.high)
    ? { low: factor * interval.low, high: factor * interval.high } : null;
}

function count(value) {
  return known(value) ? value.toLocaleString('en-US') : NONE;
}

function plural(n, noun) {
  return count(n) + ' ' + noun + (n === 1 ? '' : 's');
}

// A text that no line ends in.
function unbroken(text) {
  return text.replace(/ /g, '\u00a0');
}

function significant(value) {
  return known(value) ? String(Number(value.toPrecision(3))).replace('-', '−') : NONE;
}

function bytes(value) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let left = value;
  while (left >= 1000 && unit < units.length - 1) {
    left /= 1000;
    unit++;
  }
  return known(value) ? left.toFixed(unit ? 1 : 0) + ' ' + units[unit] : NONE;
}

// Long names keep their ends, which tell them apart.
function shorten(name, most) {
  const letters = Array.from(name);
  const half = Math.floor((most - 1) / 2);
  return letters.length <= most ? name
    : letters.slice(0, half).join('') + '…' + letters.slice(letters.length - half).join('');
}
