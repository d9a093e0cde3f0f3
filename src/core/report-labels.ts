import {actionLabels, type Label} from './labels.ts'
import type {OrderKind} from './order.ts'
import type {Finding, ResendState} from './reconcile/finding.ts'
import type {Cause, Verdict} from './reconcile/verdict.ts'

// What a page says besides the labels of codes. `{n}` is a value; `{n:order|orders}` the noun that fits a count.

export const pageWords = {
  title: {en: 'Reconciliation', bn: 'হিসাব মিলকরণ'},
  agree: {en: 'The books agree', bn: 'খাতা ও সার্ভিস মিলেছে'},
  noBreaks: {en: 'No breaks: nothing is left to decide', bn: 'কোনো গরমিল নেই: কিছু ঠিক করার বাকি নেই'},
  breaks: {en: 'The books do not agree: {n} {n:break|breaks}', bn: 'খাতা মেলেনি: {n}টি গরমিল'},
  openEarlier: {
    en: 'No breaks in this ledger; {n} open from earlier runs',
    bn: 'এই খাতায় গরমিল নেই; আগের {n}টি খোলা',
  },
  unproven: {en: 'Not proven: the run is incomplete', bn: 'প্রমাণিত নয়: কাজটি অসম্পূর্ণ'},
  notFinal: {en: 'NOT FINAL', bn: 'চূড়ান্ত নয়'},
  asOf: {en: 'The figures are as of that moment.', bn: 'অঙ্কগুলো সেই সময়ের।'},
  incomplete: {en: 'Incomplete', bn: 'অসম্পূর্ণ'},
  completeYes: {en: 'complete', bn: 'সম্পূর্ণ'},
  sums: {
    en: 'ledger {ledger}, service {service}',
    bn: 'খাতায় {ledger}, সার্ভিসে {service}',
  },
  equal: {en: 'equal on both sides', bn: 'দুই দিকে সমান'},
  more: {en: '{difference} more at the service', bn: 'সার্ভিসে {difference} বেশি'},
  less: {en: '{difference} less at the service', bn: 'সার্ভিসে {difference} কম'},
  deposits: {en: 'Deposits', bn: 'ডিপোজিট'},
  payouts: {en: 'Payouts', bn: 'পেআউট'},
  atRisk: {en: 'Amount at risk', bn: 'ঝুঁকিতে টাকা'},
  deliveredOrders: {en: 'Delivered by this run', bn: 'এই কাজে পৌঁছানো হয়েছে'},
  ofDelivered: {en: '{n} {n:webhook|webhooks}, of {sent} sent', bn: '{sent}টি পাঠিয়ে {n}টি ওয়েবহুক'},
  needPerson: {en: 'Need a person', bn: 'মানুষের কাজ'},
  openItems: {
    en: '{n} new, {closed} closed, oldest {days} {days:day|days}',
    bn: 'নতুন {n}, বন্ধ {closed}, সবচেয়ে পুরনো {days} দিন',
  },
  bdt: {en: 'BDT {amount}', bn: '৳{amount}'},
  inBdt: {en: '{what}, BDT', bn: '{what} (৳)'},
  figures: {en: 'Figures', bn: 'অঙ্ক'},
  orders: {en: '{n} {n:order|orders}', bn: '{n}টি অর্ডার'},
  rows: {en: '{n} {n:row|rows}', bn: '{n}টি সারি'},
  ledgerRows: {en: 'Rows of the ledger', bn: 'খাতার সারি'},
  rowsAgree: {en: '{agree} agree, {open} open on both sides', bn: '{agree}টি মিলেছে, {open}টি দুই দিকেই খোলা'},
  complete: {
    en: 'Complete: every order has an answer, every total is explained.',
    bn: 'সম্পূর্ণ: প্রতিটি অর্ডারের উত্তর আছে, প্রতিটি যোগফল ব্যাখ্যাত।',
  },
  toDo: {en: 'What to do', bn: 'যা করতে হবে'},
  nothingToDo: {en: 'Nothing is left to do.', bn: 'কিছু করার বাকি নেই।'},
  moreToDo: {en: 'and {n} more', bn: 'আরও {n}টি'},
  doResume: {en: 'Continue the run', bn: 'কাজটি চালিয়ে যান'},
  doSend: {en: 'Say yes to {n} {n:resend|resends}', bn: '{n}টি ওয়েবহুক আবার পাঠাতে সম্মতি দিন'},
  doAgain: {en: 'Run it again: {n} {n:order|orders}', bn: 'আবার চালান: {n}টি অর্ডার'},
  doDoubts: {en: 'Find out the outcome of {n} in doubt', bn: 'ফল অজানা {n}টির ফল খুঁজে দেখুন'},
  doApprove: {en: 'Let a second person approve this run', bn: 'দ্বিতীয় একজন কাজটি অনুমোদন করবেন'},
  proof: {en: 'Proof', bn: 'প্রমাণ'},
  evidence: {en: 'Evidence', bn: 'প্রমাণের ফাইল'},
  evidenceLater: {en: 'when the run is over', bn: 'কাজ শেষ হলে'},
  evidenceNone: {en: 'none kept', bn: 'রাখা হয়নি'},
  evidenceBroken: {en: 'not finished', bn: 'শেষ হয়নি'},
  run: {en: 'Run', bn: 'কাজ'},
  dryRun: {en: 'dry run: nothing was sent', bn: 'মহড়া: কিছু পাঠানো হয়নি'},
  profile: {en: 'Profile', bn: 'প্রোফাইল'},
  merchant: {en: 'merchant', bn: 'মার্চেন্ট'},
  service: {en: 'Service', bn: 'সার্ভিস'},
  input: {en: 'Input', bn: 'ইনপুট'},
  statement: {en: 'From the ledger to the service', bn: 'খাতা থেকে সার্ভিস'},
  balanceByLedger: {en: 'Balance by the ledger', bn: 'খাতা অনুযায়ী জের'},
  balanceByService: {en: 'Balance by the service', bn: 'সার্ভিস অনুযায়ী জের'},
  unexplained: {en: 'Unexplained', bn: 'ব্যাখ্যাহীন'},
  axisCut: {en: 'The bars begin at {from}, not at 0.', bn: 'বার শুরু হয়েছে {from} থেকে, ০ থেকে নয়।'},
  openItemsLine: {
    en: 'Open items: {before} before, {fresh} new, {closed} closed, {now} now. BDT at risk {opening} + {added} − {ended}{changed} = {closing}',
    bn: 'খোলা গরমিল: আগে {before}, নতুন {fresh}, বন্ধ {closed}, এখন {now}। ঝুঁকিতে ৳{opening} + {added} − {ended}{changed} = {closing}',
  },
  leftOut: {
    en: '{n} {n:order is|orders are} left out of every sum: the amount is unknown on one side.',
    bn: '{n}টি অর্ডার কোনো যোগফলে নেই: এক দিকে টাকার অঙ্ক অজানা।',
  },
  unanswered: {
    en: '{n} {n:order|orders} got no answer. Completed amounts of the ledger without an answer are unexplained.',
    bn: '{n}টি অর্ডারের উত্তর আসেনি। উত্তরহীন অর্ডারের খাতার অঙ্ক ব্যাখ্যাহীন।',
  },
  ages: {en: 'Open items by age and cause', bn: 'বয়স ও কারণ অনুযায়ী খোলা গরমিল'},
  agesNote: {en: 'Bar: amount at risk. Number: orders.', bn: 'বার: ঝুঁকির টাকা। সংখ্যা: অর্ডার।'},
  today: {en: 'today', bn: 'আজ'},
  daysFrom: {en: '{from}–{to} days', bn: '{from}–{to} দিন'},
  daysOver: {en: 'over {from} days', bn: '{from} দিনের বেশি'},
  otherCauses: {en: 'other causes', bn: 'অন্য কারণ'},
  sum: {en: 'Sum', bn: 'যোগ'},
  webhooks: {en: 'Lost webhooks over time', bn: 'হারানো ওয়েবহুক, সময় অনুযায়ী'},
  webhooksNote: {
    en: 'Webhooks of the breaks in this report, by the time the service made them.',
    bn: 'এই প্রতিবেদনের গরমিলগুলোর ওয়েবহুক, তৈরির সময় অনুযায়ী।',
  },
  outside: {en: '{n} older or of unknown time, not drawn.', bn: '{n}টি পুরনো বা সময় অজানা, আঁকা হয়নি।'},
  lost: {en: 'lost', bn: 'হারিয়েছে'},
  retried: {en: 'retried by the service', bn: 'সার্ভিস আবার পাঠাবে'},
  delivered: {en: 'delivered by this run', bn: 'এই কাজে পৌঁছেছে'},
  taken: {en: 'taken, not booked', bn: 'পৌঁছেছে, খাতায় ওঠেনি'},
  host: {en: 'Server', bn: 'সার্ভার'},
  down: {en: 'Down', bn: 'বন্ধ ছিল'},
  nights: {en: 'The last 31 days', bn: 'গত ৩১ দিন'},
  day: {en: 'Day', bn: 'দিন'},
  breaksOnly: {en: 'Breaks', bn: 'গরমিল'},
  deliveredOnly: {en: 'Delivered', bn: 'পৌঁছেছে'},
  incompleteNight: {en: 'A hollow bar is an incomplete run.', bn: 'ফাঁপা বার মানে অসম্পূর্ণ কাজ।'},
  groups: {en: 'Orders by cause', bn: 'কারণ অনুযায়ী অর্ডার'},
  list: {en: 'Order by order', bn: 'একে একে সব অর্ডার'},
  none: {en: 'None.', bn: 'নেই।'},
  noneSoFar: {en: 'None so far.', bn: 'এখনো নেই।'},
  notListed: {
    en: 'Only breaks that are new or back since earlier runs. {n} older open {n:break is|breaks are} not listed (--since-last).',
    bn: 'শুধু নতুন বা ফিরে আসা গরমিল। আগের {n}টি খোলা গরমিল এখানে নেই (--since-last)।',
  },
  capped: {
    en: 'This page has the gravest {shown} of {n}. All are in {csv}.',
    bn: 'এই পাতায় {n}টির মধ্যে সবচেয়ে গুরুতর {shown}টি আছে। সব আছে {csv} ফাইলে।',
  },
  firstRows: {
    en: 'Shown: the gravest {shown} of {n}. A browser with scripts shows, sorts and filters all.',
    bn: 'দেখানো হয়েছে: {n}টির মধ্যে সবচেয়ে গুরুতর {shown}টি। স্ক্রিপ্ট চললে সব দেখা, সাজানো ও বাছাই করা যায়।',
  },
  order: {en: 'Order', bn: 'অর্ডার'},
  line: {en: 'Line', bn: 'লাইন'},
  result: {en: 'Result', bn: 'ফল'},
  ledger: {en: 'Ledger', bn: 'খাতা'},
  age: {en: 'Age', bn: 'বয়স'},
  days: {en: '{n} {n:day|days}', bn: '{n} দিন'},
  fresh: {en: 'new', bn: 'নতুন'},
  next: {en: 'Next', bn: 'পরের কাজ'},
  count: {en: 'Orders', bn: 'অর্ডার'},
  amount: {en: 'Amount', bn: 'টাকা'},
  ignored: {en: 'ignored', bn: 'উপেক্ষিত'},
  ignoredBy: {en: 'Ignored by {by} until {until}: {reason}', bn: '{by} {until} পর্যন্ত উপেক্ষা করেছেন: {reason}'},
  closedByPerson: {en: 'Closed by {by}: {reason}', bn: '{by} বন্ধ করেছেন: {reason}'},
  find: {en: 'Search', bn: 'খুঁজুন'},
  everything: {en: 'All results', bn: 'সব ফল'},
  onlyPerson: {en: 'Only what needs a person', bn: 'শুধু মানুষের কাজ'},
  copyRows: {en: 'Copy rows', bn: 'সারিগুলো কপি করুন'},
  copy: {en: 'Copy', bn: 'কপি'},
  copied: {en: 'Copied', bn: 'কপি হয়েছে'},
  before: {en: 'Before', bn: 'আগের'},
  after: {en: 'After', bn: 'পরের'},
  shownRows: {en: '{from}–{to} of {n}', bn: '{n}টির {from}–{to}'},
  closedSince: {en: 'Closed since earlier runs', bn: 'আগের কাজের পর বন্ধ হয়েছে'},
  notExamined: {
    en: 'Open from earlier runs, not checked by this run',
    bn: 'আগের কাজের খোলা গরমিল, এই কাজে যাচাই হয়নি',
  },
  restInCsv: {
    en: 'and {n} more, of which `hisab items list` has the open ones',
    bn: 'আরও {n}টি; খোলাগুলো `hisab items list`-এ আছে',
  },
  inDoubt: {en: 'In doubt: outcome unknown', bn: 'ফল অজানা'},
  sent: {en: 'sent', bn: 'পাঠানো'},
  notes: {en: 'Notes', bn: 'টীকা'},
  assumed: {en: 'What this run assumed', bn: 'এই কাজ যা ধরে নিয়েছে'},
  assumedLead: {
    en: "The service's document leaves these points open. The profile sets them as follows.",
    bn: 'সার্ভিসের নথিতে এগুলো বলা নেই। প্রোফাইলে এভাবে ঠিক করা আছে।',
  },
  inputs: {en: 'Inputs and calls', bn: 'ইনপুট ও কল'},
  words: {en: 'Words of this page', bn: 'এই পাতার শব্দ'},
  code: {en: 'Code in the files', bn: 'ফাইলে কোড'},
  asTable: {en: 'The same as a table', bn: 'একই তথ্য সারণিতে'},
  preparedBy: {en: 'Prepared by', bn: 'প্রস্তুতকারী'},
  checkedBy: {en: 'Checked by', bn: 'যাচাইকারী'},
  approvedBy: {en: 'Approved by', bn: 'অনুমোদনকারী'},
  date: {en: 'Name, date, signature', bn: 'নাম, তারিখ, স্বাক্ষর'},
  zone: {en: 'All times are {zone}. Amounts are BDT.', bn: 'সব সময় {zone} অনুযায়ী। অঙ্ক টাকায়।'},
} as const satisfies Readonly<Record<string, Label>>

export type PageWord = keyof typeof pageWords

/** What a person does about a result, in the imperative; by its cause, else by its verdict. */
const steps: Readonly<Partial<Record<Cause | Verdict, Label | Readonly<Record<OrderKind, Label>>>>> = {
  amount_mismatch: {en: 'Find out which amount was paid', bn: 'কোন অঙ্ক পরিশোধ হয়েছে দেখুন'},
  unknown_status: {
    en: 'Ask the service what its status word means',
    bn: 'অবস্থার শব্দটির মানে সার্ভিসকে জিজ্ঞাসা করুন',
  },
  duplicate_in_ledger: {en: 'Keep one row of each order', bn: 'প্রতি অর্ডারে একটি সারি রাখুন'},
  unreadable_row: {en: 'Correct the rows, then run it again', bn: 'সারি ঠিক করে আবার চালান'},
  query_failed: {en: 'Run it again', bn: 'আবার চালান'},
  in_flight: {en: 'Wait', bn: 'অপেক্ষা করুন'},
  delivery_exhausted: {en: 'Look at the order, then resend or book it', bn: 'অর্ডার দেখে আবার পাঠান বা খাতায় তুলুন'},
  retry_scheduled: {en: 'Ask the service why it does not retry', bn: 'কেন আবার পাঠায় না, সার্ভিসকে জিজ্ঞাসা করুন'},
  delivery_stuck: {en: 'Find out why the webhook does not move', bn: 'ওয়েবহুক কেন আটকে আছে দেখুন'},
  delivered_not_booked: {en: 'Find out why your server did not book it', bn: 'আপনার সার্ভার কেন খাতায় তোলেনি দেখুন'},
  delivered: {en: 'Wait for a ledger that has it booked', bn: 'খাতায় ওঠা পর্যন্ত অপেক্ষা করুন'},
  recently_resent: {en: 'Find out why your server did not take it', bn: 'আপনার সার্ভার কেন নেয়নি দেখুন'},
  resend_in_doubt: {en: "Look in your server's log for the webhook", bn: 'আপনার সার্ভারের লগে ওয়েবহুকটি খুঁজুন'},
  no_delivery_record: {en: 'Book by hand what booking.csv has', bn: 'তালিকার অর্ডারগুলো হাতে খাতায় তুলুন'},
  resend_unavailable: {en: 'Book by hand what booking.csv has', bn: 'তালিকার অর্ডারগুলো হাতে খাতায় তুলুন'},
  delivery_unknown: {en: 'Run it again', bn: 'আবার চালান'},
  delivered_amount_differs: {
    en: 'Ask the service which amount was paid',
    bn: 'কোন অঙ্ক পরিশোধ হয়েছে সার্ভিসকে জিজ্ঞাসা করুন',
  },
  booked_amount_differs: {en: 'Correct the amount in the ledger', bn: 'খাতার অঙ্ক ঠিক করুন'},
  all_amounts_differ: {en: 'Find out which amount was paid', bn: 'কোন অঙ্ক পরিশোধ হয়েছে দেখুন'},
  booked_but_open: {
    en: 'Ask the service: booked before it was paid',
    bn: 'সার্ভিসকে জিজ্ঞাসা করুন: পরিশোধের আগে খাতায় উঠেছে',
  },
  booked_but_failed: {
    deposit: {
      en: 'Correct the credit: no payment stands behind it',
      bn: 'জমা সংশোধন করুন: পেছনে কোনো টাকা আসেনি',
    },
    payout: {en: 'The player was not paid: ask, then pay again', bn: 'খেলোয়াড় টাকা পাননি: জেনে নিয়ে আবার দিন'},
  },
  failed_not_booked: {en: 'Close it in the ledger', bn: 'খাতায় বন্ধ করুন'},
  reopened: {en: 'Ask the service: it may still be paid', bn: 'সার্ভিসকে জিজ্ঞাসা করুন: এখনো পরিশোধ হতে পারে'},
  booked: {en: 'Ask the service: it has no such order', bn: 'সার্ভিসকে জিজ্ঞাসা করুন: সেখানে অর্ডারটি নেই'},
  open: {en: 'Ask the service: it has no such order', bn: 'সার্ভিসকে জিজ্ঞাসা করুন: সেখানে অর্ডারটি নেই'},
  other_platform_order_no: {
    en: 'Find out which of the two orders was booked',
    bn: 'দুটির কোনটি খাতায় উঠেছে দেখুন',
  },
  not_asked: {en: 'Continue the run', bn: 'কাজটি চালিয়ে যান'},
}

const stepsAfterResend: Readonly<Partial<Record<ResendState, Label>>> = {
  still_failing: {en: 'Find out why your server refuses the webhook', bn: 'আপনার সার্ভার কেন ওয়েবহুক নেয় না দেখুন'},
  unknown: {en: "Look in your server's log before you resend", bn: 'আবার পাঠানোর আগে সার্ভারের লগ দেখুন'},
  planned: {en: 'Say yes to the resend', bn: 'আবার পাঠাতে সম্মতি দিন'},
}

const look: Label = {en: 'Look at the order', bn: 'অর্ডারটি দেখুন'}

/** What a person does about a finding of this kind. */
export function stepLabel({
  verdict,
  cause,
  kind,
  action,
  resend,
}: Pick<Finding, 'verdict' | 'cause' | 'kind' | 'action'> & {readonly resend: ResendState | null}): Label {
  if (action === 'wait' && cause !== 'recently_resent') return actionLabels.wait
  const ofResend = resend === null ? undefined : stepsAfterResend[resend]
  const isDuplicate = verdict === 'duplicate_in_ledger'
  const step =
    ofResend ?? (cause === null || isDuplicate ? undefined : steps[cause]) ?? steps[verdict] ?? look
  return 'en' in step ? step : step[kind ?? 'deposit']
}
