import {holdSentences} from './hold-sentences.ts'
import {phrases} from './phrases.ts'

/**
 * The sentences of runs, with their Bangla. Programs, the journal and the evidence get the English ones; a page in
 * Bangla finds them here. `{n}` is a value: an amount, a time, a name, or a phrase of this catalogue.
 */
export const sentences: Readonly<Record<string, string>> = {
  // What is wrong with an order, and what that means for the books.
  'Ledger and service agree.': 'খাতা ও সার্ভিস মিলেছে।',
  'Open on both sides.': 'দুই দিকেই খোলা।',
  'Nothing to do yet.': 'এখনো কিছু করার নেই।',
  'The ledger has {ours}.': 'খাতায় {ours}।',
  'The service has {theirs}.': 'সার্ভিসে {theirs}।',
  'The service now has {theirs}.': 'সার্ভিসে এখন {theirs}।',
  'The webhook had {sent}.': 'ওয়েবহুকে ছিল {sent}।',
  'The webhook had {sent}, and so has the ledger.': 'ওয়েবহুকে ছিল {sent}, খাতায়ও তা-ই।',
  'The webhook had {sent}, and so has the service.': 'ওয়েবহুকে ছিল {sent}, সার্ভিসেও তা-ই।',
  'The ledger has {ours}, the webhook had {sent}, the service now has {theirs}.':
    'খাতায় {ours}, ওয়েবহুকে ছিল {sent}, সার্ভিসে এখন {theirs}।',
  'Find out which amount was paid.': 'কোন অঙ্ক পরিশোধ হয়েছে দেখুন।',
  'Ask the service which amount was paid.': 'কোন অঙ্ক পরিশোধ হয়েছে সার্ভিসকে জিজ্ঞাসা করুন।',
  'Ask the service which amount was paid, then book it by hand.':
    'কোন অঙ্ক পরিশোধ হয়েছে সার্ভিসকে জিজ্ঞাসা করুন, তারপর হাতে খাতায় তুলুন।',
  'Correct the ledger.': 'খাতা ঠিক করুন।',
  'hisab never resends it.': 'hisab এটি কখনো আবার পাঠায় না।',
  'Paid by the player ({sum}), but it has no row in the ledger.': 'খেলোয়াড় দিয়েছেন ({sum}), কিন্তু খাতায় সারি নেই।',
  'Paid by the player ({sum}), but still open in the ledger.': 'খেলোয়াড় দিয়েছেন ({sum}), কিন্তু খাতায় এখনো খোলা।',
  'Paid by the player ({sum}), but failed in the ledger.': 'খেলোয়াড় দিয়েছেন ({sum}), কিন্তু খাতায় ব্যর্থ।',
  'Paid out by the service ({sum}), but it has no row in the ledger.':
    'সার্ভিস পরিশোধ করেছে ({sum}), কিন্তু খাতায় সারি নেই।',
  'Paid out by the service ({sum}), but still open in the ledger.':
    'সার্ভিস পরিশোধ করেছে ({sum}), কিন্তু খাতায় এখনো খোলা।',
  'Paid out by the service ({sum}), but failed in the ledger.': 'সার্ভিস পরিশোধ করেছে ({sum}), কিন্তু খাতায় ব্যর্থ।',
  'If the player got the money back, it was paid twice.': 'খেলোয়াড় টাকা ফেরত পেয়ে থাকলে দুবার দেওয়া হয়েছে।',
  'Your server accepted the webhook with {sent} ({answer}).': 'আপনার সার্ভার {sent}-এর ওয়েবহুক নিয়েছে ({answer})।',
  'Its webhook failed after {tries} ({answer} from your server), and the service retries no more.':
    'ওয়েবহুক {tries} ব্যর্থ (আপনার সার্ভারের উত্তর: {answer}), সার্ভিস আর পাঠাবে না।',
  'The service planned to retry its webhook at {time}.': 'সার্ভিসের {time}-এ ওয়েবহুক আবার পাঠানোর কথা ছিল।',
  'Whether that time is past is not known: {why}.': 'সেই সময় পেরিয়েছে কি না জানা নেই: {why}।',
  "Set this machine's clock, then run it again.": 'এই মেশিনের ঘড়ি ঠিক করে আবার চালান।',
  'The service retries its webhook at {time}.': 'সার্ভিস {time}-এ ওয়েবহুক আবার পাঠাবে।',
  'Wait.': 'অপেক্ষা করুন।',
  'Its webhook is neither delivered nor scheduled ({state}, {tries}).':
    'ওয়েবহুক পৌঁছায়নি, আবার পাঠানোর সময়ও নেই ({state}, {tries})।',
  'Whether it is stuck is not known: {why}.': 'আটকে আছে কি না জানা নেই: {why}।',
  'Its webhook is neither delivered nor scheduled, but it changed less than 30 minutes ago.':
    'ওয়েবহুক পৌঁছায়নি, আবার পাঠানোর সময়ও নেই; তবে ৩০ মিনিটের মধ্যে বদলেছে।',
  'Your server accepted the webhook ({answer}), but did not book it.':
    'আপনার সার্ভার ওয়েবহুক নিয়েছে ({answer}), কিন্তু খাতায় তোলেনি।',
  'Your server accepted the webhook ({answer}), but did not book it; {resent}.':
    'আপনার সার্ভার ওয়েবহুক নিয়েছে ({answer}), কিন্তু খাতায় তোলেনি; {resent}।',
  'Your server accepted the webhook ({answer}).': 'আপনার সার্ভার ওয়েবহুক নিয়েছে ({answer})।',
  'Your server accepted the webhook ({answer}); {resent}.': 'আপনার সার্ভার ওয়েবহুক নিয়েছে ({answer}); {resent}।',
  'Your server accepted the webhook before.': 'আপনার সার্ভার আগে ওয়েবহুক নিয়েছিল।',
  'Your server accepted the webhook before; {resent}.': 'আপনার সার্ভার আগে ওয়েবহুক নিয়েছিল; {resent}।',
  'Its record is {status} again ({answer}).': 'এর রেকর্ড আবার {status} ({answer})।',
  'If it is not booked, send it again with --include-delivered.': 'না উঠলে --include-delivered দিয়ে পাঠান।',
  'The last row of the ledger is of {time}, before that.': 'খাতার শেষ সারি {time}-এর, তার আগের।',
  'Look in a later export.': 'পরের এক্সপোর্টে দেখুন।',
  'If it is not booked there, find out why before you send it again.':
    'সেখানে না উঠে থাকলে আবার পাঠানোর আগে কারণ জানুন।',
  'Find out why before you send it again.': 'আবার পাঠানোর আগে কারণ জানুন।',
  'Your server took its webhook since.': 'এর পর আপনার সার্ভার ওয়েবহুক নিয়েছে।',
  'Your server took its webhook since ({answer}).': 'এর পর আপনার সার্ভার ওয়েবহুক নিয়েছে ({answer})।',
  'The next ledger that has it as booked confirms it.': 'পরের যে খাতায় এটি উঠবে, সেটি নিশ্চিত করবে।',
  'hisab resent its webhook {when}, less than 8 hours ago, and it is not delivered.':
    'hisab {when} ওয়েবহুক আবার পাঠিয়েছে, ৮ ঘণ্টার কম আগে; পৌঁছায়নি।',
  'hisab resent its webhook, less than 8 hours ago, and it is not delivered.':
    'hisab ৮ ঘণ্টার কম আগে ওয়েবহুক আবার পাঠিয়েছে; পৌঁছায়নি।',
  'Find out why your server did not take it.': 'আপনার সার্ভার কেন নেয়নি দেখুন।',
  'After the 8 hours, a run with a later export sends it again.': '৮ ঘণ্টা পরে নতুন এক্সপোর্ট নিয়ে চালালে আবার পাঠাবে।',
  'The outcome of an earlier resend {when} is unknown.': 'আগের ({when}) আবার পাঠানোর ফল অজানা।',
  'The outcome of an earlier resend is unknown.': 'আগের আবার পাঠানোর ফল অজানা।',
  "Look in your server's log.": 'আপনার সার্ভারের লগ দেখুন।',
  'If the webhook is not there, send it again with --retry-unknown.':
    'ওয়েবহুক সেখানে না থাকলে --retry-unknown দিয়ে আবার পাঠান।',
  'The service has no record of an order.completed webhook for it, so nothing can be resent.':
    'সার্ভিসে এর order.completed ওয়েবহুকের রেকর্ড নেই, তাই আবার পাঠানোর কিছু নেই।',
  'Book it by hand if booking.csv has it, else ask the service.':
    'booking.csv-তে থাকলে হাতে খাতায় তুলুন, না হলে সার্ভিসকে জিজ্ঞাসা করুন।',
  'Its webhook is not in the list of delivery records, which starts at {time}, after the order was made.':
    'এর ওয়েবহুক তালিকায় নেই; তালিকা শুরু {time}-এ, অর্ডারের পরে।',
  'The service may have sent it.': 'সার্ভিস হয়তো পাঠিয়েছে।',
  'Look in your books, and ask the service.': 'আপনার খাতা দেখুন, আর সার্ভিসকে জিজ্ঞাসা করুন।',
  'The delivery records are not available ({why}), so it cannot be resent.':
    'ওয়েবহুকের রেকর্ড পাওয়া যায় না ({why}), তাই আবার পাঠানো যায় না।',
  'Not all delivery records could be read ({why}), so it is not resent.':
    'ওয়েবহুকের সব রেকর্ড পড়া যায়নি ({why}), তাই আবার পাঠানো হয়নি।',
  'Run it again.': 'আবার চালান।',
  'Booked as completed, but still open at the service.': 'খাতায় সম্পন্ন, কিন্তু সার্ভিসে এখনো খোলা।',
  'It may have been credited before it was paid.': 'পরিশোধের আগে জমা হয়ে থাকতে পারে।',
  'Booked as completed, but failed at the service.': 'খাতায় সম্পন্ন, কিন্তু সার্ভিসে ব্যর্থ।',
  'It was credited without a payment.': 'টাকা না এসেই জমা হয়েছে।',
  'Failed at the service, but still open in the ledger.': 'সার্ভিসে ব্যর্থ, কিন্তু খাতায় এখনো খোলা।',
  'Close it in the ledger, or resend its webhook: `hisab webhooks resend --order-no NUMBER`.':
    'খাতায় বন্ধ করুন, বা ওয়েবহুক আবার পাঠান: `hisab webhooks resend --order-no NUMBER`।',
  'Failed at the service, but booked as paid out.': 'সার্ভিসে ব্যর্থ, কিন্তু খাতায় পরিশোধিত হিসেবে উঠেছে।',
  ...holdSentences,
  'Give no money back before you have looked: the player may have it already.':
    'দেখার আগে টাকা ফেরত দেবেন না: খেলোয়াড়ের কাছে আগেই থাকতে পারে।',
  'hisab sent it with {sent}.': 'hisab {sent} পাঠিয়েছে।',
  'The service paid nothing.': 'সার্ভিস টাকা দেয়নি।',
  'Failed in the ledger, but open again at the service.': 'খাতায় ব্যর্থ, কিন্তু সার্ভিসে আবার খোলা।',
  'It may still be paid.': 'এখনো পরিশোধ হতে পারে।',
  'Booked as completed, but the service has no such order.': 'খাতায় সম্পন্ন, কিন্তু সার্ভিসে অর্ডারটি নেই।',
  'No payment for it is known.': 'এর কোনো পরিশোধ জানা নেই।',
  'Open in the ledger, but the service has no such order.': 'খাতায় খোলা, কিন্তু সার্ভিসে অর্ডারটি নেই।',
  'It may never have been created.': 'হয়তো কখনো তৈরিই হয়নি।',
  'Booked as paid out, but still open at the service.': 'খাতায় পরিশোধিত, কিন্তু সার্ভিসে এখনো খোলা।',
  'If it fails, the player is still owed the money.': 'ব্যর্থ হলে খেলোয়াড়ের টাকা বাকি থাকে।',
  'Booked as paid out, but failed at the service.': 'খাতায় পরিশোধিত, কিন্তু সার্ভিসে ব্যর্থ।',
  'The service paid nothing, so the player may be owed the money.':
    'সার্ভিস টাকা দেয়নি, তাই খেলোয়াড়ের টাকা বাকি থাকতে পারে।',
  'Close it in the ledger, or resend its webhook.': 'খাতায় বন্ধ করুন, বা ওয়েবহুক আবার পাঠান।',
  'If the player got the money back, it may be paid twice.': 'খেলোয়াড় টাকা ফেরত পেয়ে থাকলে দুবার দেওয়া হতে পারে।',
  'Booked as paid out, but the service has no such order.': 'খাতায় পরিশোধিত, কিন্তু সার্ভিসে অর্ডারটি নেই।',
  'No payment to the player is known.': 'খেলোয়াড়কে কোনো পরিশোধ জানা নেই।',
  'The row has platform order {ours}.': 'সারিতে প্ল্যাটফর্ম অর্ডার {ours}।',
  'The service has {theirs} under this order number.': 'সার্ভিসে এই অর্ডার নম্বরে {theirs}।',
  'Find out which of the two was booked.': 'দুটির কোনটি খাতায় উঠেছে দেখুন।',
  'Booked at {booked}, before hisab resent its webhook at {resent}.':
    '{booked}-এ খাতায় উঠেছে, hisab-এর ওয়েবহুক আবার পাঠানোর ({resent}) আগে।',
  '{one} had failed, and {two} was sent in its place, {sum}.':
    '{one} ব্যর্থ হয়েছিল, তার বদলে {two} পাঠানো হয়েছে, {sum}।',
  '{one} counted as not paid, and {two} was sent in its place, {sum}.':
    '{one} দেওয়া হয়নি বলে ধরা ছিল, তার বদলে {two} পাঠানো হয়েছে, {sum}।',
  'Now the service has {one} as {was}, and {two} is {is}.': 'সার্ভিসে এখন {one} {was}, আর {two} {is}।',
  'The player may have the money twice.': 'খেলোয়াড় হয়তো টাকা দুবার পেয়েছেন।',
  'It may be booked twice.': 'হয়তো দুবার খাতায় উঠেছে।',
  'Another ledger had that row.': 'ওই সারি অন্য খাতায় ছিল।',
  'This one is of {time}.': 'এই খাতার সারিটি {time}-এর।',
  'Run {run} found a row of it with {one}.': 'যাচাই {run} এর একটি সারি পেয়েছিল, {one}।',
  'Run {run} found several rows of it.': 'যাচাই {run} এর একাধিক সারি পেয়েছিল।',
  'This ledger has one, and is no new export of that one.': 'এই খাতায় একটি আছে, আর এটি সেই খাতার নতুন এক্সপোর্ট নয়।',
  'This ledger has another one, with {other}.': 'এই খাতায় আরেকটি সারি আছে, {other}।',
  'Both may be credited.': 'দুটিই জমা হয়ে থাকতে পারে।',
  'Open since run {run}: booked before hisab resent its webhook.':
    'যাচাই {run} থেকে খোলা: hisab ওয়েবহুক আবার পাঠানোর আগেই খাতায় উঠেছে।',
  'Open since run {run}: it failed, was paid anew, and may be paid after all.':
    'যাচাই {run} থেকে খোলা: ব্যর্থ হয়েছিল, আবার পাঠানো হয়েছে, আর পরে পরিশোধও হয়ে থাকতে পারে।',
  'Look in your books, then close the item.': 'খাতায় দেখুন, তারপর আইটেমটি বন্ধ করুন।',
  'Nothing is sent.': 'কিছু পাঠানো হয় না।',
  'Its status at the service is "{word}".': 'সার্ভিসে এর অবস্থা "{word}"।',
  'The profile does not know this word, so the order counts neither as paid nor as failed.':
    'প্রোফাইল এই শব্দ চেনে না, তাই অর্ডারটি পরিশোধিতও নয়, ব্যর্থও নয়।',
  'Ask the service what it means, then add it to [status] of the profile.':
    'মানে সার্ভিসকে জিজ্ঞাসা করে প্রোফাইলের [status]-এ যোগ করুন।',
  'The run was interrupted before this order was queried.': 'এই অর্ডার জিজ্ঞাসার আগেই যাচাই থেমে গেছে।',
  'Continue the run with --resume.': '--resume দিয়ে যাচাইটি চালিয়ে যান।',
  'The service gave no reliable answer about this order: {why}.':
    'এই অর্ডারের নির্ভরযোগ্য উত্তর সার্ভিস দেয়নি: {why}।',
  'The order is more than once in the ledger ({places}).': 'অর্ডারটি খাতায় একাধিকবার আছে ({places})।',
  'Keep one row, or it is booked twice.': 'একটি সারি রাখুন, নইলে দুবার খাতায় ওঠে।',
  'The service has these numbers as one order, {id}: {numbers}.':
    'সার্ভিসে এই নম্বরগুলো একটিই অর্ডার, {id}: {numbers}।',
  'It is paid once.': 'একবারই পরিশোধ হয়েছে।',
  'The service completed it, but this row is not completed.': 'সার্ভিসে সম্পন্ন, কিন্তু এই সারি সম্পন্ন নয়।',
  'It is not resent while it is in the ledger twice.': 'খাতায় দুবার থাকা অবস্থায় আবার পাঠানো হয় না।',
  'It has a record of {event}.': 'এটির {event} ইভেন্টের একটি রেকর্ড আছে।',
  "Delivery record {id} carries its number, but the record's order_id {other} is another, so it was left out.":
    'ওয়েবহুকের রেকর্ড {id}-এ এর নম্বর, কিন্তু order_id {other} অন্য অর্ডারের, তাই বাদ।',
  "Delivery record {id} carries its number, but a deposit and a payout share that number and the record's order_id {other} is neither's, so it was left out.":
    'ওয়েবহুকের রেকর্ড {id}-এ এর নম্বর, কিন্তু ডিপোজিট ও পেআউটের নম্বর একই এবং order_id {other} কোনোটির নয়, তাই বাদ।',
  "Delivery record {id} was joined although its order_id {other} is not the order's platformOrderNo {own}.":
    'ওয়েবহুকের রেকর্ড {id} ধরা হয়েছে, যদিও order_id {other} অর্ডারের platformOrderNo {own} নয়।',
  '{text} is not an amount: {why}.': '{text} টাকার অঙ্ক নয়: {why}।',
  'currency {text} is not BDT, the only currency of the service.': 'মুদ্রা {text} টাকা নয়; সার্ভিসের মুদ্রা শুধু টাকা।',
  'currency is blank, while other rows have one, so its amount may not be BDT.':
    'মুদ্রা খালি, অন্য সারিতে আছে; অঙ্কটি টাকা নাও হতে পারে।',
  'order_no {text} holds a non-breaking space.': 'order_no {text}-এ না-ভাঙা ফাঁক আছে।',
  'order_no {text} is a long number that a spreadsheet shortened, and its digits are lost.':
    'order_no {text} লম্বা নম্বর, স্প্রেডশিট ছোট করেছে; অঙ্ক হারিয়েছে।',
  'order_no {text} starts or ends with a blank or an invisible character.':
    'order_no {text}-এর শুরু বা শেষে ফাঁকা বা অদৃশ্য অক্ষর আছে।',
  'order_no is blank.': 'order_no খালি।',
  'Write {number}.': '{number} লিখুন।',
  'Export that column as text.': 'কলামটি টেক্সট হিসেবে এক্সপোর্ট করুন।',
  'status {text} is unknown.': 'status {text} অচেনা।',
  'List it under completed, open or failed in [profiles.NAME.ledger] status.':
    '[profiles.NAME.ledger] status-এ completed, open বা failed-এর নিচে লিখুন।',
  'List it under deposit, payout or other (no order) in [profiles.NAME.ledger] kind.':
    '[profiles.NAME.ledger] kind-এ deposit, payout বা other (অর্ডার নয়)-এর নিচে লিখুন।',
  'It may be booked in its last rows.': 'তার শেষ সারিগুলোয় উঠে থাকতে পারে।',
  'Run hisab with the ledger that does; if none was booked, send it with hisab webhooks resend --include-delivered.':
    'যে খাতায় আছে সেটি দিয়ে hisab চালান; না উঠে থাকলে hisab webhooks resend --include-delivered দিয়ে পাঠান।',
  'The row cannot be read.': 'সারিটি পড়া যায় না।',

  // Why nothing is resent, or who must look first.
  'It may not be missing: {why}.': 'হয়তো বাদ পড়েনি: {why}।',
  'Not missing for certain: {why}.': 'নিশ্চিতভাবে বাদ নয়: {why}।',
  'Run hisab with the ledger of that time.': 'সেই সময়ের খাতা দিয়ে hisab চালান।',
  'Do not book it twice.': 'দুবার খাতায় তুলবেন না।',
  'Correct the row and run again.': 'সারি ঠিক করে আবার চালান।',
  'Export the file again.': 'ফাইলটি আবার এক্সপোর্ট করুন।',
  'Check the profile and --kind.': 'প্রোফাইল ও --kind দেখুন।',
  'Look there first.': 'আগে সেখানে দেখুন।',
  'Look in your books.': 'আপনার খাতাপত্র দেখুন।',
  'Look in your books first.': 'আগে আপনার খাতাপত্র দেখুন।',
  'Look whether it was booked by hand.': 'হাতে তোলা হয়েছে কি না দেখুন।',
  'If that sheet has no bookings, --ignore-sheet={sheet} leaves it out.':
    'ওই শিটে খাতায় তোলা কিছু না থাকলে --ignore-sheet={sheet} সেটি বাদ দেয়।',
  'If that text says nothing of bookings, --ignore-text={text} leaves it out.':
    'খাতায় তোলার কথা না হলে --ignore-text={text} সেটি বাদ দেয়।',
  'If it is not booked, note that: {command}.': 'খাতায় না উঠে থাকলে তা লিখুন: {command}।',
  'If that column says nothing of bookings, --ignore-column={header} leaves it out.':
    'ওই কলাম খাতায় তোলা নিয়ে কিছু না বললে --ignore-column={header} সেটি বাদ দেয়।',
  'If it was not booked, run again with --include-missing.': 'খাতায় না উঠে থাকলে --include-missing দিয়ে আবার চালান।',
  'Not resent.': 'আবার পাঠানো হয়নি।',
  'Its delivery record has no order_id.': 'এর ওয়েবহুকের রেকর্ডে order_id নেই।',
  'Its order_id is also that of {number}.': 'এর order_id {number}-এরও।',
  'This may be the older ledger.': 'এটি পুরনো খাতা হতে পারে।',
  'This is a new export of that ledger without the row.': 'এটি সেই খাতার নতুন এক্সপোর্ট, সারিটি এতে নেই।',
  'It does not prove that nobody was credited.': 'এতে প্রমাণ হয় না যে কাউকে জমা দেওয়া হয়নি।',
  'If it is not booked, send it: `{command}`.': 'খাতায় না উঠে থাকলে পাঠান: `{command}`।',
  'Its open item stays as run {run} found it.': 'এর খোলা গরমিল যাচাই {run}-এ যেমন ছিল তেমনই থাকছে।',
  'Followed up from run {run}.': 'যাচাই {run} থেকে আবার দেখা হয়েছে।',
  'It is not in this ledger and may have been booked since.': 'এই খাতায় নেই; এর পর খাতায় উঠে থাকতে পারে।',
  'Run hisab with a new export of the ledger of its time.': 'সেই সময়ের খাতার নতুন এক্সপোর্ট দিয়ে hisab চালান।',
  'Run hisab with a new export of the ledger of its time; of an order around midnight, with those of both days in one command.':
    'সেই সময়ের খাতার নতুন এক্সপোর্ট দিয়ে hisab চালান; মধ্যরাতের আশেপাশের অর্ডার হলে দুই দিনের খাতা এক কমান্ডে দিন।',
  'If it is not booked there, that run resends it.': 'সেখানে না উঠে থাকলে সেই যাচাই আবার পাঠাবে।',
  'The service had it as completed with a webhook to come.': 'সার্ভিসে এটি সম্পন্ন ছিল, ওয়েবহুক আসার কথা ছিল।',
  'Now the service {news}.': 'এখন সার্ভিস: {news}।',
  'Ask the service what happened to the payment.': 'পরিশোধের কী হয়েছে সার্ভিসকে জিজ্ঞাসা করুন।',
  'Ask the service what happened to the payment since.': 'এর পর পরিশোধের কী হয়েছে সার্ভিসকে জিজ্ঞাসা করুন।',
  'Every run lists it until a ledger shows the outcome or a person ignores it.':
    'কোনো খাতা ফল দেখানো বা কেউ উপেক্ষা করা পর্যন্ত প্রতিটি যাচাই এটি দেখায়।',
  'Open since run {run}, and no ledger of that time was given again.':
    'যাচাই {run} থেকে খোলা; সেই সময়ের খাতা আর দেওয়া হয়নি।',
  'Run hisab with a new export of it, or ignore it once that is cleared up.':
    'তার নতুন এক্সপোর্ট দিয়ে hisab চালান, বা মিটে গেলে উপেক্ষা করুন।',
  'Its delivery record was not read again.': 'ওয়েবহুকের রেকর্ড আবার পড়া হয়নি।',
  'The booking.csv of run {run} of {day} has it.': 'যাচাই {run} ({day})-এর booking.csv-তে এটি আছে।',
  'The booking.csv of run {run} has it.': 'যাচাই {run}-এর booking.csv-তে এটি আছে।',
  'Run {run} found that the amounts differ.': 'যাচাই {run} দেখেছে, টাকার অঙ্ক মেলে না।',
  'Now one side has no amount.': 'এখন এক দিকে অঙ্ক নেই।',
  'It stays open until both sides have an amount.': 'দুই দিকে অঙ্ক না আসা পর্যন্ত খোলা থাকবে।',
  'Run {run} found it completed on both sides, and it is not in this ledger.':
    'যাচাই {run} একে দুই দিকেই সম্পন্ন পেয়েছিল; এই খাতায় নেই।',
  'The ignore of {day} by {by} no longer applies, because the finding has changed: {reason}':
    '{by}-এর {day}-এর উপেক্ষা আর খাটে না, কারণ গরমিল বদলেছে: {reason}',
  'The closing of {day} by {by} no longer applies, because the finding has changed: {reason}':
    '{by}-এর {day}-এর বন্ধ আর খাটে না, কারণ গরমিল বদলেছে: {reason}',
  'Ignored until {day} by {by}: {reason}': '{by} {day} পর্যন্ত উপেক্ষা করেছেন: {reason}',
  'If it is dealt with: `{command}`.': 'মিটে গেলে: `{command}`।',
  'Ignored by {by}: {reason}': '{by} উপেক্ষা করেছিলেন: {reason}',
  'Closed on {day} by {by}: {reason}': '{by} {day}-এ বন্ধ করেছেন: {reason}',
  'An earlier run saw it waiting at {time}, and it is still waiting.':
    'আগের যাচাই {time}-এ একে অপেক্ষায় দেখেছে; এখনো অপেক্ষায়।',
  'Ask the service why it is not sent, or send it with --ignore-cooldown.':
    'কেন পাঠানো হয় না সার্ভিসকে জিজ্ঞাসা করুন, বা --ignore-cooldown দিয়ে পাঠান।',
  'Correct the row and run again; do not book it twice.': 'সারিটি মিটিয়ে আবার চালান; দুবার খাতায় তুলবেন না।',
  'Is this the whole ledger?': 'এটি কি পুরো খাতা?',
  'Give all files of its time in one command; do not book it twice.':
    'সেই সময়ের সব ফাইল এক কমান্ডে দিন; দুবার খাতায় তুলবেন না।',

  // How a resend ended.
  'Not sent: {why}.': 'পাঠানো হয়নি: {why}।',
  'Not sent: {why}': 'পাঠানো হয়নি: {why}',
  'Your server answered {answer} again.': 'আপনার সার্ভার আবার উত্তর দিয়েছে: {answer}।',
  'Your server answered {answer} again: {line}.': 'আপনার সার্ভার আবার উত্তর দিয়েছে: {answer}: {line}।',
  'The answer to the resend was lost, and its record shows no new attempt.':
    'আবার পাঠানোর উত্তর হারিয়েছে, রেকর্ডে নতুন চেষ্টা নেই।',
  'The service refused the resend.': 'সার্ভিস আবার পাঠাতে রাজি হয়নি।',
  'Its record shows no new attempt, and it is left alone for 8 hours, in case the record is late.':
    'রেকর্ডে নতুন চেষ্টা নেই; রেকর্ড দেরি হতে পারে বলে ৮ ঘণ্টা কিছু করা হয় না।',
  'The service could not be reached': 'সার্ভিসে পৌঁছানো যায়নি',
  'It may still be delivered.': 'এখনো পৌঁছাতে পারে।',
  'The service took the resend.': 'সার্ভিস আবার পাঠানোর অনুরোধ নিয়েছে।',
  'Its record shows no new attempt yet.': 'রেকর্ডে এখনো নতুন চেষ্টা নেই।',
  'The run ended between the send and its answer.': 'পাঠানো ও উত্তরের মাঝে যাচাই থেমে গেছে।',
  'The journal does not have this result: it stays in doubt there until its record is read again.':
    'জার্নালে এই ফল নেই: রেকর্ড আবার পড়া পর্যন্ত সেখানে অজানা থাকবে।',
  'To send it anyway, add --include-delivered.': 'তবু পাঠাতে --include-delivered যোগ করুন।',

  // What a spreadsheet did.
  'A spreadsheet removed its leading zeros.': 'স্প্রেডশিট সামনের শূন্য মুছে ফেলেছে।',
  'The service has several orders it could be.': 'সার্ভিসে এমন একাধিক অর্ডার আছে।',
  'Export the column as text.': 'কলামটি টেক্সট হিসেবে এক্সপোর্ট করুন।',
  'Other numbers in the ledger are longer.': 'খাতার অন্য নম্বরগুলো আরও লম্বা।',
  'If a spreadsheet removed a leading zero, {write}.': 'স্প্রেডশিট সামনের শূন্য মুছে থাকলে {write}।',
  'hisab did not query that number.': 'hisab সে নম্বর জিজ্ঞাসা করেনি।',
  'A spreadsheet keeps 15 digits of a number, and the rest of this one is zeros.':
    'স্প্রেডশিট ১৫ অঙ্ক রাখে; এর বাকি অঙ্ক শূন্য।',
  'If so, {write}.': 'তা হলে {write}।',
  'Its digits are Bengali, and the service compares numbers exactly.': 'অঙ্কগুলো বাংলা; সার্ভিস নম্বর হুবহু মেলায়।',
  'If that is the order, {write}.': 'অর্ডারটি সেটি হলে {write}।',
  'The service writes it differently and has several such numbers.': 'সার্ভিসে বানান আলাদা, আর এমন নম্বর একাধিক।',
  'Compare them.': 'মিলিয়ে দেখুন।',
  'It looks like a number that a spreadsheet changed to a date: {write}.':
    'মনে হয় স্প্রেডশিট নম্বরকে তারিখ বানিয়েছে: {write}।',
  'It is the last line and does not end with a newline.': 'এটি শেষ লাইন, শেষে নতুন লাইন নেই।',
  'The file may be cut off.': 'ফাইলটি কাটা পড়ে থাকতে পারে।',
  'It is the last row, so the file may be cut off.': 'এটি শেষ সারি; ফাইলটি কাটা পড়ে থাকতে পারে।',
  'The service has {number}, which is in no row: {write}.': 'সার্ভিসে {number} আছে, যা কোনো সারিতে নেই: {write}।',
  'A spreadsheet shortened it.': 'স্প্রেডশিট ছোট করে ফেলেছে।',
  'A spreadsheet rounded it to 15 digits.': 'স্প্রেডশিট ১৫ অঙ্কে কেটেছে।',
  'A spreadsheet changed it to a date.': 'স্প্রেডশিট তারিখ বানিয়েছে।',
  'It has a non-breaking space.': 'এতে না-ভাঙা ফাঁক আছে।',
  'Its digits are Bengali.': 'অঙ্কগুলো বাংলা।',
  'Its spelling differs.': 'বানান আলাদা।',
  '{n} fields where the header has {m}.': '{n}টি ঘর, শিরোনামে {m}টি।',
  'There may be a delimiter inside an unquoted field.': 'উদ্ধৃতি ছাড়া ঘরে বিভাজক থাকতে পারে।',
  'kind {word} is neither deposit nor payout.': 'kind {word} ডিপোজিটও নয়, পেআউটও নয়।',

  // Why a run is incomplete, and its notes.
  '{orders} got no trustworthy answer': '{orders}-এর নির্ভরযোগ্য উত্তর আসেনি',
  '{n} planned resends were not sent': 'পরিকল্পনার {n}টি আবার পাঠানো হয়নি',
  '{n} planned resend was not sent': 'পরিকল্পনার {n}টি আবার পাঠানো হয়নি',
  '{n} accepted resends show no end yet': 'গৃহীত {n}টি আবার পাঠানোর ফল এখনো নেই',
  '{n} resend was refused': '{n}টি আবার পাঠানো নেওয়া হয়নি',
  '{n} resends were refused': '{n}টি আবার পাঠানো নেওয়া হয়নি',
  '{orders} not asked for': '{orders} জিজ্ঞাসা করা হয়নি',
  'the delivery records of {orders} could not be read': '{orders}-এর ওয়েবহুকের রেকর্ড পড়া যায়নি',
  'orders missing from the ledger could not be searched: {why}': 'খাতায় বাদ পড়া অর্ডার খোঁজা যায়নি: {why}',
  'orders missing from the ledger were not searched: {why}': 'খাতায় বাদ পড়া অর্ডার খোঁজা হয়নি: {why}',
  'orders missing from the ledger were searched only as far back as the list goes: {why}.':
    'খাতায় বাদ পড়া অর্ডার তালিকা যত দূর যায় তত দূরই খোঁজা হয়েছে: {why}।',
  'Compare that time with another export of the service': 'সেই সময় সার্ভিসের অন্য এক্সপোর্টের সঙ্গে মেলান',
  'If your server gets webhooks, ask the service why it lists none':
    'আপনার সার্ভারে ওয়েবহুক এলে সার্ভিসকে জিজ্ঞাসা করুন তালিকায় কেন একটিও নেই',
  'the list of delivery records is empty, and {why}': 'ওয়েবহুকের তালিকা খালি; {why}',
  'Compare the time before with another export of the service': 'তার আগের সময় সার্ভিসের অন্য এক্সপোর্টের সঙ্গে মেলান',
  'the list of delivery records starts at {time}, after the start of the window, and {why}':
    'ওয়েবহুকের তালিকা শুরু {time}-এ, সময়সীমার শুরুর পরে; {why}',
  'records that run {run} saw are gone from it': 'যাচাই {run} যে রেকর্ড দেখেছিল, সেখানে নেই',
  '{orders} of the ledger have no record in it': 'খাতার {orders}-এর সেখানে রেকর্ড নেই',
  '{why}: the window may be too small; give --since and --until':
    '{why}: সময়সীমা ছোট হতে পারে; --since ও --until দিন',
  '{why}: give --since and --until to search for them': '{why}: খুঁজতে --since ও --until দিন',
  'the webhooks of {orders} were not delivered, and the service knows no such order: another order may be paid and not booked.':
    '{orders}-এর ওয়েবহুক পৌঁছায়নি, আর সার্ভিসে এমন অর্ডার নেই: অন্য কোনো অর্ডার পরিশোধ হয়েও খাতায় না উঠে থাকতে পারে।',
  'Ask the service': 'সার্ভিসকে জিজ্ঞাসা করুন',
  'the totals of the deposits do not tie out': 'ডিপোজিটের যোগফল মেলে না',
  'the totals of the payouts do not tie out': 'পেআউটের যোগফল মেলে না',
  'the run was interrupted': 'যাচাইটি থেমে গেছে',
  'the run was interrupted.': 'যাচাইটি থেমে গেছে।',
  'the report was written before the first resend': 'প্রতিবেদনটি প্রথম আবার পাঠানোর আগে লেখা',
  'the report was written before the first resend.': 'প্রতিবেদনটি প্রথম আবার পাঠানোর আগে লেখা।',
  'To continue: {command}': 'চালিয়ে যেতে: {command}',
  'the delivery records were not read': 'ওয়েবহুকের রেকর্ড পড়া হয়নি',
  'the list was not read': 'তালিকা পড়া হয়নি',
  'the list could not be read whole: {why}': 'তালিকা পুরো পড়া যায়নি: {why}',
  'not every page could be read: {why}': 'সব পাতা পড়া যায়নি: {why}',
  'a record left the list while it was read': 'পড়ার সময় একটি রেকর্ড তালিকা থেকে চলে গেছে',
  'run {run} found the whole list sorted, and only new records were added since':
    'যাচাই {run} পুরো তালিকা সাজানো পেয়েছিল, এর পর শুধু নতুন রেকর্ড এসেছে',
  '{file} has no status column, so every row counts as completed':
    '{file}-এ status কলাম নেই, তাই প্রতিটি সারি সম্পন্ন ধরা হয়',
  '{file} has no created_at column': '{file}-এ created_at কলাম নেই',
  '{file} has no created_at column (--column {column} reads one)':
    '{file}-এ created_at কলাম নেই (--column {column} দিলে একটি পড়া হয়)',
  '{file} has a header and no row': '{file}-এ শিরোনাম আছে, সারি নেই',
  '{file} has no kind column, so its rows are read as deposits.':
    '{file}-এ kind কলাম নেই, তাই সারিগুলো ডিপোজিট হিসেবে পড়া হয়।',
  '{file}: cells under no header are not read, as on line {line} ({text})':
    '{file}: শিরোনামহীন কলাম পড়া হয় না, যেমন লাইন {line} ({text})',
  'No run searched for missing deposits from {from} to {to}, between run {run} and this one.':
    '{from} থেকে {to} পর্যন্ত কোনো যাচাই বাদ পড়া ডিপোজিট খোঁজেনি, যাচাই {run} ও এটির মাঝে।',
  'No run searched for missing payouts from {from} to {to}, between run {run} and this one.':
    '{from} থেকে {to} পর্যন্ত কোনো যাচাই বাদ পড়া পেআউট খোঁজেনি, যাচাই {run} ও এটির মাঝে।',
  'Add --since-last-run to search there.': 'সেখানে খুঁজতে --since-last-run যোগ করুন।',

  // What the page says about the run.
  'searched from {from} to {to}': '{from} থেকে {to} পর্যন্ত খোঁজা হয়েছে',
  'searched from {from} to {to}; {more}': '{from} থেকে {to} পর্যন্ত খোঁজা হয়েছে; {more}',
  '{orders} found in the ledger of run {run}': '{orders} যাচাই {run}-এর খাতায় আছে',
  'not searched: {why}': 'খোঁজা হয়নি: {why}',
  'none: every order was queried': 'নেই: প্রতিটি অর্ডার জিজ্ঞাসা করা হয়েছে',
  "the service's clock is {much} ahead of this machine's": 'সার্ভিসের ঘড়ি এই মেশিনের চেয়ে {much} এগিয়ে',
  "the service's clock is {much} behind this machine's": 'সার্ভিসের ঘড়ি এই মেশিনের চেয়ে {much} পিছিয়ে',
  "the service's clock could not be read": 'সার্ভিসের ঘড়ি পড়া যায়নি',

  ...phrases,
}
