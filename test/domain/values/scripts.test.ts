import test from 'ava'
import { mixesScripts } from '../../../src/domain/values/scripts.ts'

// Examples of UTS 39, 5.1 and 5.2, among others. Letters that look Latin are Cyrillic or Greek where that is the point.
const single = [
  ...['anna', 'Zoë 😀', 'СігсӀе', 'Ελένη', 'C𝗂𝗋𝖼𝗅𝖾', '𝖢𝗂𝗋𝖼𝗅𝖾', 'Circ1e', 'آنا ٤', 'अन्ना', 'Ꭰꮿ', '𐤀𐤁'],
  ...['123 - 😀', ''],
]
const east = ['〆切', 'ねガ', 'Team 東京ラボ', '李 Li', 'ㄅㄆ 北 lab', '서울 lab 京', 'ー']
for (const text of [...single, ...east]) {
  test(`${JSON.stringify(text)} mixes no scripts`, (t) => t.false(mixesScripts(text)))
}

const mixed = [
  ...['Сirсlе', 'аdmin', 'admιn', 'Aлександр', 'Ελένη B', '서울 ラボ', '李 Ли', 'ㄅ ラボ', 'lab ए', 'Ꭺnna'],
  ...['𐤀ב'],
]
for (const text of mixed) {
  test(`${JSON.stringify(text)} mixes scripts`, (t) => t.true(mixesScripts(text)))
}

test('thorough: every assigned character alone mixes no scripts', (t) => {
  const characters = Array.from({ length: 0x11_0000 }, (_, n) => String.fromCodePoint(n))
  const found = characters.filter((one) => !/[\p{Cs}\p{Co}]/u.test(one) && mixesScripts(one))
  t.deepEqual(found, [], 'a script of a new version of Unicode is missing')
})
