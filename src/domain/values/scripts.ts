/** Scripts that are not among those below, by their names in Unicode 17. The frequent ones come first. */
const OTHERS = `
  Arabic Hebrew Devanagari Thai Armenian Georgian Bengali Ethiopic Gujarati Gurmukhi Kannada Khmer Lao Malayalam
  Myanmar Oriya Sinhala Tamil Telugu Thaana Tibetan Adlam Ahom Anatolian_Hieroglyphs Avestan Balinese Bamum
  Bassa_Vah Batak Beria_Erfe Bhaiksuki Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian
  Chakma Cham Cherokee Chorasmian Coptic Cuneiform Cypriot Cypro_Minoan Deseret Dives_Akuru Dogra Duployan
  Egyptian_Hieroglyphs Elbasan Elymaic Garay Glagolitic Gothic Grantha Gunjala_Gondi Gurung_Khema Hanifi_Rohingya
  Hanunoo Hatran Imperial_Aramaic Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi Kawi Kayah_Li
  Kharoshthi Khitan_Small_Script Khojki Khudawadi Kirat_Rai Lepcha Limbu Linear_A Linear_B Lisu Lycian Lydian
  Mahajani Makasar Mandaic Manichaean Marchen Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive
  Meroitic_Hieroglyphs Miao Modi Mongolian Mro Multani Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu
  Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Ol_Onal Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian
  Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Osage Osmanya Pahawh_Hmong Palmyrene Pau_Cin_Hau Phags_Pa
  Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada Shavian Siddham Sidetic SignWriting Sogdian
  Sora_Sompeng Soyombo Sundanese Sunuwar Syloti_Nagri Syriac Tagalog Tagbanwa Tai_Le Tai_Tham Tai_Viet Tai_Yo Takri
  Tangsa Tangut Tifinagh Tirhuta Todhri Tolong_Siki Toto Tulu_Tigalari Ugaritic Vai Vithkuqi Wancho Warang_Citi
  Yezidi Yi Zanabazar_Square`
  .trim()
  .split(/\s+/)

/** What may be mixed: single scripts, and those of Chinese, Japanese and Korean with Latin. */
const TOGETHER: readonly (readonly string[])[] = [
  ['Latin'],
  ['Cyrillic'],
  ['Greek'],
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Hangul'],
  ['Latin', 'Han', 'Bopomofo'],
  ...OTHERS.map((script) => [script]),
]

/** Digits, punctuation, symbols and marks of all scripts, and what newer versions of Unicode may give a script. */
const OF_EVERY_SCRIPT = /[\p{scx=Common}\p{scx=Inherited}\p{Cn}]+/gu
const ASCII = /^\p{ASCII}*$/u

/** Compiled when needed first: all of them take 25 ms, and most names need one. */
const patterns = new Map<readonly string[], RegExp>()

const patternOf = (scripts: readonly string[]): RegExp => {
  const known = patterns.get(scripts)
  if (known !== undefined) return known
  const pattern = new RegExp(`^[${scripts.map((script) => `\\p{scx=${script}}`).join('')}]*$`, 'u')
  patterns.set(scripts, pattern)
  return pattern
}

/** Whether text mixes scripts more than the level "highly restrictive" allows (Unicode Technical Standard 39, 5.2). */
export const mixesScripts = (text: string): boolean => {
  if (ASCII.test(text)) return false
  const letters = text.replace(OF_EVERY_SCRIPT, '')
  return !TOGETHER.some((scripts) => patternOf(scripts).test(letters))
}
