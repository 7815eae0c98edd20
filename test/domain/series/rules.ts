/** Rules for comparisons of recurrences, by what they have besides COUNT and UNTIL; each kind also without anything. */

const words = ([text = '']: TemplateStringsArray): readonly string[] => text.trim().split(/\s+/)

const DAILY = words`
  INTERVAL=2 INTERVAL=3 INTERVAL=10 INTERVAL=45 BYDAY=MO,TU,WE,TH,FR BYDAY=SA,SU BYDAY=WE;INTERVAL=3 BYMONTH=3,10
  BYMONTH=1,2,12;BYDAY=MO BYMONTHDAY=1,15 BYMONTHDAY=-1 BYMONTHDAY=13;BYDAY=FR BYMONTHDAY=29,30,31;BYMONTH=2,3
  BYHOUR=2 BYHOUR=1,2,3 BYHOUR=9,17;BYMINUTE=0,30 BYHOUR=2;BYMINUTE=0,15,30,45 BYHOUR=8,12;BYSETPOS=1
  BYHOUR=6,12,18;BYSETPOS=-1`
const WEEKLY = words`
  INTERVAL=2 INTERVAL=3 INTERVAL=6 BYDAY=TU BYDAY=MO,WE,FR BYDAY=SU INTERVAL=2;BYDAY=TU,TH
  INTERVAL=2;BYDAY=MO,SU;WKST=SU INTERVAL=2;BYDAY=MO,SU;WKST=MO INTERVAL=3;BYDAY=SA,MO;WKST=WE
  BYDAY=MO;BYMONTH=4,5,6 BYMONTH=3,10,11;BYDAY=SU BYDAY=MO,TU,WE,TH,FR;BYHOUR=2 BYDAY=SU;BYHOUR=1,2,3
  BYDAY=MO,WE,FR;BYSETPOS=1 BYDAY=MO,WE,FR;BYSETPOS=-1 BYDAY=TU,TH;BYHOUR=8,16;BYSETPOS=2`
const MONTHLY = words`
  INTERVAL=2 INTERVAL=5 BYMONTHDAY=1 BYMONTHDAY=31 BYMONTHDAY=-1 BYMONTHDAY=-31 BYMONTHDAY=10,20,30 BYDAY=MO
  BYDAY=1SU BYDAY=-1SU BYDAY=2TU,4TU BYDAY=5FR BYDAY=-5WE BYDAY=1MO,-1FR BYDAY=FR;BYMONTHDAY=13
  BYDAY=SA;BYMONTHDAY=7,8,9,10,11,12,13 BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1 BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1
  BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2,3 BYMONTHDAY=1,2,3;BYSETPOS=2 BYMONTH=1,3,5;BYMONTHDAY=31
  INTERVAL=3;BYDAY=-1SU;BYHOUR=2 BYDAY=-1SU;BYHOUR=1,2,3`
// BYWEEKNO not from a day whose week belongs to another year: where a rule begins there, libraries differ.
const YEARLY = words`
  INTERVAL=2 BYMONTH=3,10 BYMONTH=2;BYMONTHDAY=29 BYMONTH=3;BYDAY=-1SU BYMONTH=10;BYDAY=-1SU;BYHOUR=2
  BYMONTH=6,7,8;BYDAY=TH BYMONTH=11;BYDAY=4TH BYMONTHDAY=1 BYMONTHDAY=-1,15 BYYEARDAY=1,100,200 BYYEARDAY=-1
  BYYEARDAY=366 BYDAY=20MO BYDAY=1MO,-1MO BYDAY=53MO BYDAY=TU BYWEEKNO=1;BYDAY=TH BYWEEKNO=20;BYDAY=MO
  BYWEEKNO=53;BYDAY=TH,FR BYWEEKNO=-2;BYDAY=SU BYWEEKNO=1,52;BYDAY=MO;WKST=SU
  BYDAY=MO,TU,WE,TH,FR;BYMONTH=1;BYSETPOS=-1 BYMONTH=4;BYDAY=MO;BYSETPOS=1,-1 BYMONTHDAY=13;BYDAY=FR`

const ENDS = ['', 'COUNT=2', 'COUNT=40', 'UNTIL=20271031T235959Z']

const join = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join(';')

/** More than three hundred rules: each kind with every end. */
export const RULES: readonly string[] = Object.entries({ DAILY, WEEKLY, MONTHLY, YEARLY }).flatMap(([freq, kinds]) =>
  ['', ...kinds].flatMap((kind) => ENDS.map((end) => join(`FREQ=${freq}`, kind, end))),
)

/** Zones whose clocks change in different ways, or do not. */
export const ZONES = words`
  UTC Africa/Cairo Africa/Casablanca Africa/Johannesburg America/Argentina/Buenos_Aires America/Chicago
  America/Havana America/New_York America/Nuuk America/Santiago America/St_Johns Asia/Beirut Asia/Kathmandu
  Asia/Kolkata Asia/Tokyo Australia/Lord_Howe Australia/Sydney Europe/Berlin Pacific/Apia Pacific/Chatham`
