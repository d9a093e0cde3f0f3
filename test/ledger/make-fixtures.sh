#!/bin/sh
# Makes test/ledger/fixtures again with LibreOffice. README.md there says what each file is for.
set -eu
cd "$(dirname "$0")"
out="${1:-fixtures}"
source="$PWD/fixtures/source.fods"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# convert NAME FORMAT [SOURCE]: one run of LibreOffice, with a profile of its own.
convert() {
  soffice -env:UserInstallation="file://$work/profile" --headless \
    --convert-to "$2" --outdir "$work/out" "${3:-$source}" >/dev/null 2>&1
  # With a sheet named by its number, LibreOffice puts the sheet's name into the file's.
  mv "$work/out"/* "$out/$1"
}

# Tokens of the CSV filter: separator, quote, character set (76 UTF-8, 65535 UTF-16), first line, column formats,
# language, quote all text, detect numbers, cells as shown, formulas, remove blanks, number of the sheet.
csv() { convert "$1" "csv:Text - txt - csv (StarCalc):$2" "${3:-$source}"; }

csv comma.csv        '44,34,76,1,,0,false,true,true,false,false,1'
csv semicolon.csv    '59,34,76,1,,0,false,true,true,false,false,1'
csv tab.csv          '9,34,76,1,,0,false,true,true,false,false,1'
csv pipe.csv         '124,34,76,1,,0,false,true,true,false,false,1'
csv quoted.csv       '44,34,76,1,,0,true,true,true,false,false,1'
csv not-as-shown.csv '44,34,76,1,,0,false,true,false,false,false,1'
csv renamed.csv      '44,34,76,1,,0,false,true,true,false,false,2'
csv numbers-lost.csv '44,34,76,1,,0,false,true,true,false,false,3'
csv utf16.csv        '44,34,65535,1,,0,false,true,true,false,false,1'
finance="$PWD/fixtures/finance.fods"
csv finance.csv       '44,34,76,1,,0,false,true,true,false,false,1' "$finance"
csv finance-utf16.csv '59,34,65535,1,,0,false,true,true,false,false,1' "$finance"
gzip -9nc "$out/finance.csv" >"$out/finance.csv.gz"
convert finance.ods  ods "$finance"
convert finance.xlsx 'xlsx:Calc MS Excel 2007 XML' "$finance"
sections="$PWD/fixtures/sections.fods"
csv sections.csv      '44,34,76,1,,0,false,true,true,false,false,1' "$sections"
convert sections.xlsx 'xlsx:Calc MS Excel 2007 XML' "$sections"
convert sections.ods  ods "$sections"
convert ledger.ods  ods
convert ledger.xlsx 'xlsx:Calc MS Excel 2007 XML'
csv from-xlsx.csv    '59,34,76,1,,0,true,true,true,false,false,1' "$out/ledger.xlsx"
