<?php
// A receiver of webhooks and a signer of requests, for PHP 7.4 and later, without packages.
//   HISAB_API_SECRET=SECRET php -S 127.0.0.1:3000 receiver.php   receives at http://127.0.0.1:3000/webhook
//   HISAB_API_SECRET=SECRET php receiver.php sign                reads a request's JSON on stdin, prints its signature
declare(strict_types=1);

// The service's words, matched exactly. Any other word is neither paid nor failed.
const COMPLETED = ['completed'];
const FAILED = ['failed'];

/** The MD5 signature of fields by name; each is text, or null where it is left out. */
function sign(array $fields): string
{
    $secret = (string) getenv('HISAB_API_SECRET');
    if (trim($secret) === '') {
        throw new RuntimeException('HISAB_API_SECRET is empty: an empty secret signs anything.');
    }
    unset($fields['signature']);
    // By UTF-16 code unit: A before _ before a. PHP makes whole numbers of names such as "1".
    $utf16 = fn($name): string => iconv('UTF-8', 'UTF-16BE', (string) $name);
    uksort($fields, fn($a, $b): int => strcmp($utf16($a), $utf16($b)));
    $text = '';
    foreach ($fields as $name => $value) {
        if ($value !== null) {
            $text .= "$name=$value&";
        }
    }
    // Without any field, the & before key= is still there.
    return md5(($text === '' ? '&' : $text) . "key=$secret");
}

/** The fields of a webhook's raw bytes, or null: then answer 401, and act on nothing. */
function verify(string $body): ?array
{
    $fields = read_flat_json($body);
    $given = $fields['signature'] ?? '';
    if ($fields === null || !hash_equals(sign($fields), $given)) {
        return null;
    }
    foreach ($fields as $name => $value) {
        // "u7&status=completed" in one field signs like two fields.
        if (preg_match('/[=&]/', (string) $name) || preg_match('/&[^&=]*=/', $value ?? '')) {
            return null;
        }
    }
    return $fields;
}

/** One flat JSON object, numbers by the text that stands there. Null for anything else, and for a name that comes twice. */
function read_flat_json(string $json): ?array
{
    $string = '"(?:[^"\\\\\x00-\x1f]|\\\\(?:["\\\\\/bfnrt]|u[0-9a-fA-F]{4}))*+"';
    $value = "$string|-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null";
    $pair = "/\\G[ \\t\\r\\n]*($string)[ \\t\\r\\n]*:[ \\t\\r\\n]*($value)[ \\t\\r\\n]*([,}])/";
    if (!preg_match('//u', $json) || !preg_match('/^[ \t\r\n]*\{/', $json, $start)) {
        return null;
    }
    $fields = [];
    $at = strlen($start[0]);
    while (preg_match($pair, $json, $found, 0, $at)) {
        $at += strlen($found[0]);
        $name = json_decode($found[1]);
        $field = $found[2][0] === '"' ? json_decode($found[2]) : $found[2];
        // Null: half of a surrogate pair, which has no bytes.
        if ($name === null || $field === null || array_key_exists($name, $fields)) {
            return null;
        }
        $fields[$name] = $field === 'null' && $found[2] === 'null' ? null : $field;
        if ($found[3] === '}') {
            return preg_match('/^[ \t\r\n]*\z/', substr($json, $at)) ? $fields : null;
        }
    }
    return null;
}

/** Stands for your database. Each line is one fact: its kind, the order, what is booked of it, the order number. */
final class Books
{
    /** @var resource */
    private $file;
    private int $size;
    /** @var string[][] */
    private array $facts;

    public function __construct(string $path)
    {
        $file = fopen($path, 'a+');
        // One process at a time, until this one has ended.
        if ($file === false || !flock($file, LOCK_EX) || ($stored = stream_get_contents($file, -1, 0)) === false) {
            throw new RuntimeException("$path cannot be opened.");
        }
        $this->file = $file;
        // A last line without its end was cut off by a crash, and means nothing.
        $this->size = (int) strrpos("\n$stored", "\n");
        $lines = explode("\n", substr($stored, 0, $this->size));
        $this->facts = array_map(fn($line) => array_map('rawurldecode', explode("\t", $line)), $lines);
    }

    public function write(string ...$fact): void
    {
        if (in_array($fact, $this->facts, true)) {
            return;
        }
        $line = implode("\t", array_map('rawurlencode', $fact)) . "\n";
        // What a crash or a full disk left of a line goes first.
        // On the disk before the answer: an event answered with 200 never comes again. (fsync: PHP 8.1)
        if (
            !ftruncate($this->file, $this->size)
            || fwrite($this->file, $line) !== strlen($line)
            || !fflush($this->file)
            || (function_exists('fsync') && !fsync($this->file))
        ) {
            throw new RuntimeException('The books cannot be written.');
        }
        $this->size += strlen($line);
        $this->facts[] = $fact;
    }

    /** What is booked of an order. An event may lack one of the order's two numbers. */
    public function of(string $kind, string $order, string $number): array
    {
        $isOf = fn($fact): bool => in_array($fact[0], [$kind, "{$kind}_again"], true)
            && (strcasecmp($fact[1], $order) === 0
                || ($number !== '' && in_array($number, [$fact[1], end($fact)], true)));
        return array_filter($this->facts, $isOf);
    }

    /** Books an order once. False if it is booked otherwise: that is for a person. */
    public function once(string $kind, string $order, string $number, string ...$what): bool
    {
        $known = $this->of($kind, $order, $number);
        foreach ($known as $fact) {
            $otherOrder = $fact[1];
            $otherNumber = end($fact);
            $haveOrders = $order !== $number && $otherOrder !== $otherNumber;
            $haveNumbers = $number !== '' && $otherNumber !== '';
            if (
                ($haveOrders && strcasecmp($order, $otherOrder) !== 0)
                || ($haveNumbers && $number !== $otherNumber)
                || array_slice($fact, 2, -1) !== $what
            ) {
                return false;
            }
            if ($order === $otherOrder && $number === $otherNumber) {
                return true;
            }
        }
        $this->write($known === [] ? $kind : "{$kind}_again", $order, ...[...$what, $number]);
        return true;
    }
}

/** Books one genuine event. A second delivery of it changes nothing. */
function book(array $fields, Books $books): void
{
    $text = fn(string $name): string => $fields[$name] ?? '';
    [$event, $status, $player, $amount] = array_map($text, ['event', 'status', 'playerRef', 'amount']);
    [$own, $out, $platform] = array_map('trim', array_map($text, ['orderNo', 'outOrderNo', 'platformOrderNo']));
    $number = $own !== '' ? $own : $out;
    $order = $platform !== '' ? $platform : $number;
    $says = fn(string $name, array $words): bool => $event . $status !== ''
        && in_array($event, ['', $name], true)
        && ($status === '' || in_array($status, $words, true));
    $state = $says('order.completed', COMPLETED) ? 'completed' : ($says('order.failed', FAILED) ? 'failed' : '');
    // Only a deposit has a playerRef. What has both marks, or blanks for a player, is neither for certain.
    $isPayout = $player === '' || $text('outOrderNo') !== '';
    $aside = ['set_aside', $order, $number, $event, $status, $amount];
    if ($state === '' || $order === '' || ($isPayout ? $player !== '' : trim($player) === '')) {
        $books->write(...$aside);
    } elseif ($isPayout) {
        $books->once('payout', $order, $number, $state) || $books->write(...$aside);
    } elseif ($state === 'failed') {
        $isCredited = $books->of('credit', $order, $number) !== [];
        $books->write(...($isCredited ? $aside : ['deposit_failed', $order, $number]));
    } elseif (!preg_match('/^[0-9]+(\.[0-9]{1,2})?\z/', $amount) || !preg_match('/[1-9]/', $amount)) {
        $books->write(...$aside);
    } else {
        [$taka, $paisa] = explode('.', "$amount.");
        $exact = (ltrim($taka, '0') ?: '0') . '.' . str_pad($paisa, 2, '0');
        // Credited already: the same again is a retry, another amount or player is for a person.
        $books->once('credit', $order, $number, $player, $exact) || $books->write(...$aside);
    }
}

/** The HTTP status to answer with. */
function receive(): int
{
    if (($_SERVER['REQUEST_METHOD'] ?? '') !== 'POST') {
        return 405;
    }
    $body = (string) file_get_contents('php://input', false, null, 0, 65537);
    if (strlen($body) > 65536) {
        return 413;
    }
    try {
        $fields = verify($body);
        if ($fields === null) {
            return 401;
        }
        book($fields, new Books((string) (getenv('BOOKS') ?: 'books.log')));
        // Everything genuine, also what failed or is not understood: with 4xx it comes five times more, and then never.
        return 200;
    } catch (Throwable $error) {
        error_log($error->getMessage());
        return 500;
    }
}

if (PHP_SAPI !== 'cli') {
    http_response_code(receive());
} elseif (($argv[1] ?? '') === 'sign') {
    $fields = read_flat_json((string) stream_get_contents(STDIN));
    if ($fields === null) {
        fwrite(STDERR, "Give one flat JSON object, each name once.\n");
        exit(1);
    }
    echo sign($fields), "\n";
}
