// reference.js TOKENIZER FILE [pair]: the tokens of the library `tokenizers`, as print_tokens prints them.
const { Tokenizer } = require(process.env.TOKENIZERS);
const fs = require('fs');
(async () => {
  const [path, file, pair] = process.argv.slice(2);
  const tokenizer = Tokenizer.fromFile(path);
  tokenizer.disablePadding();
  for (const line of fs.readFileSync(file, 'utf8').split('\n').filter((text) => text)) {
    const object = JSON.parse(line);
    const encoding =
        await tokenizer.encode(object.text, pair ? object[pair] : null, {addSpecialTokens: true});
    const types = encoding.getTypeIds();
    process.stdout.write(encoding.getIds().map((id, i) => id + '/' + types[i]).join(' ') + '\n');
  }
})();
