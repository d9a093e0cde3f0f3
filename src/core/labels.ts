import type {CheckName, CheckStatus} from './doctor/check.ts'
import type {OrderKind, PayoutLineState, RequestState} from './order.ts'
import type {UnreadableCause} from './reconcile/entry.ts'
import type {ResendState} from './reconcile/finding.ts'
import type {HistoryState} from './reconcile/history.ts'
import type {ItemState} from './reconcile/item.ts'
import type {RecordWay} from './reconcile/records-read.ts'
import type {
  Action,
  AmountCause,
  Cause,
  DeliveryCause,
  LaterCause,
  OrderCause,
  QueryCause,
  Severity,
  Verdict,
} from './reconcile/verdict.ts'

/** What people read instead of a code, in both languages. */
export interface Label {
  readonly en: string
  readonly bn: string
}

type PerKind = Readonly<Record<OrderKind, Label>>

// Programs read codes (JSON, CSV, journal); screens and reports show these labels. A code without a label does not
// compile.

const verdictLabels: Readonly<Record<Verdict, Label | PerKind>> = {
  matched: {en: 'agrees', bn: 'মিলেছে'},
  in_flight: {en: 'still open on both sides', bn: 'দুই দিকেই এখনো খোলা'},
  missing_completion: {
    deposit: {en: 'paid, not booked', bn: 'টাকা এসেছে, খাতায় ওঠেনি'},
    payout: {en: 'paid out, still open', bn: 'টাকা দেওয়া হয়েছে, খাতায় এখনো খোলা'},
  },
  missing_in_ledger: {en: 'not in the ledger', bn: 'খাতায় নেই'},
  amount_mismatch: {en: 'amounts differ', bn: 'টাকার অঙ্ক মেলে না'},
  status_mismatch: {en: 'statuses differ', bn: 'অবস্থা মেলে না'},
  missing_at_provider: {en: 'not at the service', bn: 'সার্ভিসে নেই'},
  unknown_status: {en: 'unknown status', bn: 'অজানা অবস্থা'},
  query_failed: {en: 'no answer', bn: 'উত্তর পাওয়া যায়নি'},
  duplicate_in_ledger: {en: 'more than once in the ledger', bn: 'খাতায় একাধিকবার আছে'},
  unreadable_row: {en: 'row not readable', bn: 'সারিটি পড়া যায়নি'},
}

type OwnCause = DeliveryCause | LaterCause | AmountCause | OrderCause | QueryCause | UnreadableCause

const causeLabels: Readonly<Record<OwnCause, Label>> = {
  delivery_exhausted: {en: 'webhook failed, no retry left', bn: 'ওয়েবহুক ব্যর্থ, আর চেষ্টা হবে না'},
  retry_scheduled: {en: 'webhook will be retried', bn: 'ওয়েবহুক আবার পাঠানো হবে'},
  delivery_stuck: {en: 'webhook neither delivered nor scheduled', bn: 'ওয়েবহুক পৌঁছায়নি, আবার পাঠানোর সময়ও নেই'},
  delivered_not_booked: {en: 'webhook accepted, not booked', bn: 'ওয়েবহুক পৌঁছেছে, খাতায় ওঠেনি'},
  delivered: {en: 'delivered, not confirmed by a ledger', bn: 'পৌঁছেছে, খাতায় এখনো দেখা যায়নি'},
  recently_resent: {en: 'resent less than 8 hours ago', bn: '৮ ঘণ্টার মধ্যে আবার পাঠানো হয়েছে'},
  resend_in_doubt: {en: 'earlier resend, outcome unknown', bn: 'আগে আবার পাঠানো হয়েছে, ফল অজানা'},
  no_delivery_record: {en: 'no webhook on record', bn: 'ওয়েবহুকের কোনো রেকর্ড নেই'},
  resend_unavailable: {en: 'webhooks cannot be resent', bn: 'ওয়েবহুক আবার পাঠানো যায় না'},
  delivery_unknown: {en: 'delivery records not read', bn: 'ওয়েবহুকের রেকর্ড পড়া যায়নি'},
  sent_amount_differs: {en: 'not the amount that hisab sent', bn: 'hisab যে অঙ্ক পাঠিয়েছে তা নয়'},
  delivered_amount_differs: {en: 'webhook and service differ', bn: 'ওয়েবহুক ও সার্ভিসের অঙ্ক আলাদা'},
  booked_amount_differs: {en: 'ledger and webhook differ', bn: 'খাতা ও ওয়েবহুকের অঙ্ক আলাদা'},
  all_amounts_differ: {en: 'ledger, webhook and service differ', bn: 'খাতা, ওয়েবহুক ও সার্ভিস তিনটিই আলাদা'},
  booked_but_open: {en: 'booked, still open at the service', bn: 'খাতায় উঠেছে, সার্ভিসে এখনো খোলা'},
  booked_but_failed: {en: 'booked, failed at the service', bn: 'খাতায় উঠেছে, সার্ভিসে ব্যর্থ'},
  failed_not_booked: {en: 'failed at the service, open in the ledger', bn: 'সার্ভিসে ব্যর্থ, খাতায় এখনো খোলা'},
  failed_maybe_paid: {
    en: 'failed at the service, may be paid otherwise',
    bn: 'সার্ভিসে ব্যর্থ, অন্যভাবে পরিশোধ হয়ে থাকতে পারে',
  },
  reopened: {en: 'failed in the ledger, open at the service', bn: 'খাতায় ব্যর্থ, সার্ভিসে আবার খোলা'},
  booked: {en: 'booked', bn: 'খাতায় উঠেছে'},
  open: {en: 'open in the ledger', bn: 'খাতায় খোলা'},
  other_platform_order_no: {en: 'another platform order number', bn: 'প্ল্যাটফর্মের অর্ডার নম্বর আলাদা'},
  booked_before_resent: {
    en: 'booked before it was resent, maybe twice',
    bn: 'আবার পাঠানোর আগেই খাতায় উঠেছে, হয়তো দুবার',
  },
  paid_after_all: {
    en: 'failed, paid anew, and paid after all',
    bn: 'ব্যর্থ হয়েছিল, আবার পাঠানো হয়েছে, পরে পরিশোধও হয়েছে',
  },
  not_asked: {en: 'not asked, run interrupted', bn: 'জিজ্ঞাসা করা হয়নি, যাচাই থেমে গেছে'},
  order_no_missing: {en: 'no order number', bn: 'অর্ডার নম্বর নেই'},
  order_no_malformed: {en: 'order number not readable', bn: 'অর্ডার নম্বর পড়া যায়নি'},
  amount_unreadable: {en: 'amount not readable', bn: 'টাকার অঙ্ক পড়া যায়নি'},
  currency_other: {en: 'not in BDT', bn: 'মুদ্রা BDT নয়'},
  status_unknown: {en: 'status word not known', bn: 'অবস্থার শব্দটি অচেনা'},
  kind_unknown: {en: 'kind not known', bn: 'ধরন অচেনা'},
  column_count: {en: 'wrong number of columns', bn: 'কলামের সংখ্যা ঠিক নেই'},
}

export const actionLabels: Readonly<Record<Action, Label>> = {
  none: {en: 'nothing', bn: 'কিছু করার নেই'},
  wait: {en: 'wait', bn: 'অপেক্ষা করুন'},
  resend: {en: 'resend', bn: 'আবার পাঠান'},
  review: {en: 'review', bn: 'নিজে দেখুন'},
  retry: {en: 'run again', bn: 'আবার চালান'},
}

export const severityLabels: Readonly<Record<Severity, Label>> = {
  none: {en: 'none', bn: 'নেই'},
  low: {en: 'low', bn: 'কম'},
  medium: {en: 'medium', bn: 'মাঝারি'},
  high: {en: 'high', bn: 'বেশি'},
}

export const resendLabels: Readonly<Record<ResendState, Label>> = {
  planned: {en: 'planned', bn: 'পাঠানো হবে'},
  sent: {en: 'sent, no result yet', bn: 'পাঠানো হয়েছে, ফল এখনো আসেনি'},
  delivered: {en: 'delivered', bn: 'পৌঁছেছে'},
  still_failing: {en: 'failed again', bn: 'আবার ব্যর্থ'},
  unknown: {en: 'outcome unknown', bn: 'ফল অজানা'},
  refused: {en: 'refused by the service', bn: 'সার্ভিস নেয়নি'},
  skipped: {en: 'not sent', bn: 'পাঠানো হয়নি'},
}

export const payoutLineLabels: Readonly<Record<PayoutLineState, Label>> = {
  accepted: {en: 'accepted', bn: 'নেওয়া হয়েছে'},
  contradicted: {en: 'in doubt, the service shows another payout', bn: 'অজানা, সার্ভিসে অন্য পেআউট'},
  refused: {en: 'refused', bn: 'নেওয়া হয়নি'},
  unknown: {en: 'outcome unknown', bn: 'ফল অজানা'},
  not_sent: {en: 'not sent', bn: 'পাঠানো হয়নি'},
}

export const doubtLabels: Readonly<Record<RequestState, Label>> = {
  intent: {en: 'stopped during the send', bn: 'পাঠানোর সময় থেমে গেছে'},
  accepted: {en: 'shown otherwise than sent', bn: 'সার্ভিসে অন্য রকম দেখায়'},
  refused: {en: 'refused', bn: 'নেওয়া হয়নি'},
  unknown: {en: 'outcome unknown', bn: 'ফল অজানা'},
}

/** For a create or a resend that another machine is sending now. */
export const onItsWayLabel: Label = {en: 'being sent now', bn: 'এখন পাঠানো হচ্ছে'}

export const checkStatusLabels: Readonly<Record<CheckStatus, Label>> = {
  ok: {en: 'ok', bn: 'ঠিক আছে'},
  warning: {en: 'warning', bn: 'সতর্কতা'},
  failed: {en: 'failed', bn: 'ব্যর্থ'},
  skipped: {en: 'skipped', bn: 'বাদ'},
  unknown: {en: 'unknown', bn: 'অজানা'},
}

export const checkLabels: Readonly<Record<CheckName, Label>> = {
  node: {en: 'Node', bn: 'Node'},
  environment: {en: 'environment', bn: 'পরিবেশ'},
  config: {en: 'config.toml', bn: 'config.toml'},
  profile: {en: 'profile', bn: 'প্রোফাইল'},
  settings: {en: 'settings', bn: 'সেটিংস'},
  api_secret: {en: 'api_secret', bn: 'api_secret'},
  api_key: {en: 'api_key', bn: 'api_key'},
  data: {en: 'data', bn: 'ডেটা ফোল্ডার'},
  journal: {en: 'journal', bn: 'জার্নাল'},
  journal_commits: {en: 'commits', bn: 'কমিট'},
  journal_standbys: {en: 'standbys', bn: 'স্ট্যান্ডবাই'},
  journal_clock: {en: 'its clock', bn: 'তার ঘড়ি'},
  journal_role: {en: 'its role', bn: 'তার ভূমিকা'},
  journal_addresses: {en: 'addresses', bn: 'ঠিকানা'},
  payee_key: {en: 'payee.key', bn: 'payee.key'},
  lock: {en: 'lock', bn: 'লক'},
  events: {en: 'events', bn: 'ইভেন্ট'},
  base_url: {en: 'base_url', bn: 'base_url'},
  apply_url: {en: 'apply_url', bn: 'apply_url'},
  legacy_url: {en: 'legacy_url', bn: 'legacy_url'},
  clock: {en: 'clock', bn: 'ঘড়ি'},
  deposits: {en: 'deposit API', bn: 'ডিপোজিট API'},
  payouts: {en: 'payout API', bn: 'পেআউট API'},
  webhooks: {en: 'webhook log', bn: 'ওয়েবহুক লগ'},
  receiver: {en: 'webhooks', bn: 'ওয়েবহুক'},
}

/** How the delivery records were read. */
export const recordWayLabels: Readonly<Record<RecordWay, Label>> = {
  none: {en: 'not read', bn: 'পড়া হয়নি'},
  'full-list': {en: 'the whole list', bn: 'পুরো তালিকা'},
  'incremental-list': {en: 'the recent part of the list', bn: 'তালিকার সাম্প্রতিক অংশ'},
  'look-ups': {en: 'one look-up for each order', bn: 'প্রতিটি অর্ডার আলাদা করে'},
}

export const historyLabels: Readonly<Record<HistoryState, Label>> = {
  new: {en: 'new', bn: 'নতুন'},
  open: {en: 'open', bn: 'খোলা'},
  changed: {en: 'changed', bn: 'বদলেছে'},
  reopened: {en: 'back again', bn: 'আবার এসেছে'},
}

export const itemStateLabels: Readonly<Record<ItemState, Label>> = {
  open: {en: 'open', bn: 'খোলা'},
  delivered: {en: 'delivered', bn: 'পৌঁছেছে'},
  confirmed: {en: 'confirmed', bn: 'নিশ্চিত'},
  closed: {en: 'closed', bn: 'বন্ধ'},
}

/** An order of unknown kind gets the deposit's label. */
export function verdictLabel(verdict: Verdict, kind: OrderKind | null): Label {
  const label = verdictLabels[verdict]
  return 'en' in label ? label : label[kind ?? 'deposit']
}

export function causeLabel(cause: Cause, kind: OrderKind | null): Label {
  return cause in causeLabels ? causeLabels[cause as OwnCause] : verdictLabel(cause as Verdict, kind)
}
