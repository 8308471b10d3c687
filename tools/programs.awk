# Prints "FILE NAME" for each program that shell scripts call: the words at which commands begin,
# without functions and words that are not literal. usage: awk -f programs.awk FILE...

function char() { return substr(text, at, 1) }
function is_blank(c) { return c == " " || c == "\t" || c == "\\" && substr(text, at + 1, 1) == "\n" }
function skip_blanks() { while (is_blank(char())) at += char() == "\\" ? 2 : 1 }

# From an opening bracket to behind the one that closes it.
function skip_brackets(open, close_,   depth) {
  do {
    depth += (char() == open) - (char() == close_)
    at++
  } while (depth && at <= length(text))
}

# At a $: $(commands), $((numbers)), ${parameter} or $name.
function skip_dollar() {
  at++
  if (substr(text, at, 2) == "((") skip_brackets("(", ")")
  else if (char() == "{") skip_brackets("{", "}")
  else if (char() == "(") { at++; commands() }
}

function skip_quotes(   quote) {
  quote = char()
  for (at++; char() != quote && at <= length(text);) {
    if (quote == "\"" && char() == "$") skip_dollar()
    else at += quote == "\"" && char() == "\\" ? 2 : 1
  }
  at++
}

# The word that begins here; what is quoted or follows from variables is a $ in it.
function read_word(   word) {
  while (at <= length(text) && !is_blank(char()) && !index(";&|()<>\n", char())) {
    if (char() == "'" || char() == "\"") { skip_quotes(); word = word "$" }
    else if (char() == "$") { skip_dollar(); word = word "$" }
    else { word = word char(); at++ }
  }
  return word
}

function skip_redirection(   here) {
  here = substr(text, at, 2) == "<<"
  while (index("<>&|-", char())) at++
  skip_blanks()
  if (!here) read_word()
  else if (match(substr(text, at), /^['"]?[A-Za-z_]+/)) {
    here = substr(text, at, RLENGTH)
    gsub(/['"]/, "", here)
    at += index(substr(text, at), "\n" here "\n") + length(here)
  }
}

# Commands up to the bracket that closes them, or the end of the text.
function commands(   word, begins, patterns, in_case) {
  for (begins = 1; at <= length(text);) {
    skip_blanks()
    if (char() == "#") at += index(substr(text, at), "\n") - 1
    else if (char() == "(") { at++; commands() }
    else if (char() == ")") {
      at++
      if (!patterns) return
      patterns = 0
      begins = 1
    } else if (index("<>", char())) skip_redirection()
    else if (index(";&|\n", char())) {
      if (substr(text, at, 2) == ";;") { at++; patterns = 1 }
      at++
      begins = 1
    } else {
      word = read_word()
      if (word == "esac") patterns = 0
      else if (in_case && word == "in") { patterns = 1; in_case = 0 }
      else if (patterns || !begins || word ~ /^-|^[0-9]+[smhd]?$/) continue # "timeout -k 5 60 name"
      else if (char() == "(") { functions[word] = 1; at += 2 }
      else if (word !~ /^(if|then|elif|else|fi|while|until|do|done|!|{|}|[A-Za-z_]+=.*)$/) {
        in_case = word == "case"
        if (word !~ /^(case|for|command)$|\$/) called[++n_called] = file " " word
        begins = word ~ /^(exec|env|nice|xargs|timeout|flock)$/
      }
    }
  }
}

function scan() { at = 1; commands(); text = "" }
FNR == 1 { scan(); file = FILENAME }
{ text = text $0 "\n" }
END {
  scan()
  for (i = 1; i <= n_called; i++) {
    split(called[i], part, " ")
    if (!(part[2] in functions)) print called[i]
  }
}
