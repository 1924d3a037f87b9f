import type { BounceRule } from './bounce-rule.js';

/** Text that excludes a hard bounce, regardless of the code: it is about the sending server, or about a full mailbox. */
export const VETO_RULES: readonly BounceRule[] = [
  {
    // A server that checks the sender quotes the reply of the sender's own server, which is about the sender.
    id: 'words.callout',
    name: 'sender_rejected',
    words:
      /sender (?:address )?verif(?:y|ication)|verif(?:y|ying|ication of) (?:the )?sender|\bcall(?:out|back)\b|(?:could not|cannot|unable to) verify (?:the )?(?:sender|envelope)/i,
  },
  {
    id: 'words.recipient-preferences',
    name: 'policy',
    words:
      /recipient(?:'s)? preferences|(?:refused|blocked|rejected) by (?:the )?(?:recipient|user|addressee)|recipient has (?:rejected|blocked|refused)|user (?:refuses|does not want)/i,
    advice: 'The recipient does not want your mail. Do not send to this address.',
  },
  {
    id: 'words.delivery-agent',
    name: 'system',
    words:
      /no such file|procmail|child process|mailer error|(?:media|internal system) error|mail\.local: (?!unknown)|cannot execute|exit(?:ed)? (?:with )?(?:status|code|value)/i,
  },
  {
    id: 'words.try-again',
    name: 'unreachable',
    words:
      /host not found,? try again|(?:temporary|transient) (?:name|dns|lookup|resol)|temporarily (?:unable|unavailable|locked|disabled|suspended)|temporary locked/i,
  },
  {
    id: 'words.reputation',
    name: 'reputation',
    words:
      /spamhaus|spamcop|sorbs\b|uceprotect|invaluement|\b(?:dns|rh)?s?bl\b|\brbl\b|block ?list|(?<!may be )black ?list|deny ?list|blocked (?:using|by|for|due|because|in)\b|reputation|(?<!not )listed (?:at|in|by|on)\b(?! (?:public|domino|directory|the directory))|(?:ip|ip address|host|client|server|network|connections?|e?mail) (?:\S{1,80} )?(?:is |are |has been |was |have been )?(?:temporarily |permanently )?(?:blocked|banned|blacklisted|not allowed to (?:send|connect))|banned|your (?:ip|ip address|host|server|domain) (?:\S{1,80} )?(?:is|has|was)|sending ip|too much spam|spam source|bad (?:neighbou?rhood|host)|open relay|dynamic (?:ip|address)|dynamically assigned/i,
  },
  {
    id: 'words.reverse-dns',
    name: 'reputation',
    words:
      /reverse (?:dns|lookup|mapping|hostname|resolution)|\br?dns ptr\b|\bPTR (?:record|lookup)|\brDNS\b|cannot (?:find|resolve) your (?:reverse )?(?:hostname|address|ip)|client host rejected|(?:helo|ehlo)(?: command| name| host)? (?:rejected|required|invalid|not)|unresolvable|fix reverse|no valid (?:dns|rdns)|invalid (?:helo|ehlo)|does ?n[o']t resolve/i,
    advice:
      'The receiving server does not accept the DNS name of the sending server. Tell your operator to set its reverse DNS.',
  },
  {
    id: 'words.rate',
    name: 'rate_limited',
    words:
      /too many (?:messages|e?mails|connections|recipients|errors|concurrent|invalid recipients|sessions)|rate ?limit|(?:rate|frequency) (?:is )?(?:too|exceed)|throttl|too (?:fast|frequent|quickly)|slow down|exceeded? (?:the |its |your )?(?:maximum |max |allowed |hourly |daily )?(?:number of|rate|hourly|daily|messages? per|connections?|sending)|limit (?:of \S+ )?(?:messages|recipients|per)|(?:hourly|daily) (?:limit|quota)|grey ?list|try again (?:later|in \d)/i,
  },
  {
    id: 'words.mailbox-full',
    name: 'mailbox_full',
    words:
      /over[ -]?quota|quota (?:has been |is |was )?(?:exceed|full|violation|reached)|(?:exceed\S*|over|out of|insufficient|reached|beyond|above) (?:\S+ ){0,4}(?:quota|storage|disk|mailbox size|mailbox limit|space)|(?:mailbox|inbox|maildrop|mail ?box|account|mail folder|disk|user|maildir|file ?system|recipient storage|boite)\S* (?:\S+ ){0,3}(?:full\b|pleine|voll|llen[oa])|insufficient (?:system )?(?:storage|resources)|no (?:free )?(?:disk )?space|not enough (?:\S+ ){0,3}(?:space|storage)|out of (?:disk )?space|mailbox (?:size|for user) limit|mailfolder is full|too much mail data|disk quota|quota/i,
  },
  {
    id: 'words.authentication',
    name: 'authentication',
    words:
      /\bspf\b|\bdkim\b|\bdmarc\b|unauthenticated|sender policy framework|(?:sender|message) (?:is )?not authenticated|email authentication/i,
  },
];

/** Text about the message, the sender or the route; used if the server gives no precise code. */
export const CIRCUMSTANCE_RULES: readonly BounceRule[] = [
  {
    id: 'words.sender',
    name: 'sender_rejected',
    words:
      /(?:unrout\w+|invalid|bad|illegal|unknown) sender|from: ?domain|valid from\b|sender (?:address |domain |e-?mail )?(?:\S{1,120} )?(?:is |was |has been )?(?:rejected|denied|refused|verif\w+|invalid|unknown|not (?:allowed|permitted|found|exist|valid)|does not exist|must|blocked)|bad sender|mail from (?:\S{1,80} )?(?:rejected|denied|refused|not)|unable to verify|(?:domain of )?sender (?:address )?\S* ?does not|sender'?s? domain|envelope (?:sender|from)|callout|you are not allowed|not accept(?:ed|ing)? (?:mail |messages )?from|from address|verify (?:the )?sender|sending domain/i,
  },
  {
    id: 'words.header-syntax',
    name: 'content',
    words: /may not follow|incorrectly constructed/i,
    advice: 'A server could not read a header of the message. Tell your operator.',
  },
  {
    id: 'words.relaying',
    name: 'relaying_denied',
    words:
      /relay(?:ing)? (?:is |access |mail |operation )?(?:denied|not (?:permitted|allowed)|prohibited|rejected|forbidden)|(?:unable|not allowed|not permitted|cannot|can't|refus\S*|do(?:es)? not|don't|denied|no) (?:\S+ ){0,2}relay|relaying|rcpthosts|not (?:a|an open) relay|relay (?:not|access)/i,
  },
  {
    id: 'words.content',
    name: 'content',
    words:
      /\bspam\b|spam(?:my|assassin|-like)|\bvirus|malware|phish|\bjunk\b|unsolicited|\bUBE\b|content (?:rejected|denied|filter|not)|(?:message|mail|e-?mail|content) (?:\S+ ){0,3}(?:rejected|refused|blocked|denied|filtered|not accepted)|attachments? (?:\S+ ){0,4}(?:not|block|prohibit|reject|refus|remov|strip|contain|forbid)\S*|(?:prohibited|forbidden|illegal|dangerous|executable|infected|unsafe|banned|blocked) (?:\S+ ){0,2}attachment|banned (?:file|content)|suspicious|looks like|scanned|objectionable|prohibited (?:content|file)|header (?:\S+ ){0,3}(?:error|missing|invalid)|mime|\b8-?bit\b|(?:message|mail) filtered|bare (?:LF|line ?feed)/i,
  },
  {
    id: 'words.size',
    name: 'message_too_big',
    words:
      /(?:message|mail|e-?mail|data|header|body)(?: size| length|'s size)? (?:\S+ ){0,4}(?:too (?:big|large|long)|exceed\S*|larger|bigger|over)|too large|too big|size (?:limit|exceed|violation)|maximum (?:message )?size|exceeds? (?:the )?(?:maximum|size|limit|fixed)/i,
  },
  {
    id: 'words.loop',
    name: 'loop',
    words:
      /too many hops|hop count|mail(?:er)? loop|loop(?:ing|s)? (?:detected|back|found)|loops? back|looping|mail loop|routing loop|too many received/i,
  },
  {
    id: 'words.null-mx',
    name: 'null_mx',
    words:
      /null ?mx|(?:host|domain|server)\S* does ?n[o']t (?:accept|receive) (?:e-?)?mail|no smtp service|not accepting (?:messages|mail|network messages)|system not accepting/i,
  },
  {
    id: 'words.expired',
    name: 'expired',
    words:
      /(?:delivery|retry|queue|message)\S* (?:\S+ ){0,2}(?:time|time ?out|period|lifetime)\S* (?:\S+ ){0,2}(?:expired|exceeded|reached)|\bexpired\b(?! (?:user|account|mailbox))|retry time(?:out)? (?:not reached|exceeded)|in (?:the )?queue too long|too long (?:in|on)|giv(?:en?|ing) up (?:after|trying)|aborted after \d|unable to deliver (?:\S+ ){0,4}(?:after|for|within)|max(?:imum)? (?:retr|attempts|number of)|(?:was|has) not (?:been )?deliver\S* (?:with)?in|could not be delivered (?:with)?in|undelivered after|last attempt/i,
  },
];

/** Text about the route to the receiving server. */
export const NETWORK_RULES: readonly BounceRule[] = [
  // The text of sendmail for EX_PROTOCOL.
  { id: 'words.protocol', name: 'protocol', words: /remote protocol error/i },
  {
    id: 'words.unreachable',
    name: 'unreachable',
    words:
      /(?:no|find an?y?|find the) (?:gateway|route|path) (?:for|to)|(?:is|are|was) not reachable|connection (?:\S+ ){0,3}(?:refused|timed? ?out|lost|reset|dropped|died|closed|failed)|timed? ?out|no route|unreachable|(?:lost|dropped|broken|closed) connection|(?:cannot|could ?n[o']t|unable to|can't|did not|failed to) (?:\S+ ){0,2}(?:connect|establish|reach|contact|resolve)|(?:dns|name ?server|name service|lookup) (?:\S+ ){0,2}(?:error|fail|timeout|loop|problem)|dns error|smtp (?:session|connection) (?:\S+ )?(?:fail|error)|network (?:error|failure|is)|no answer|(?:tls|ssl) (?:\S+ ){0,3}(?:required|fail|error|not|handshake)|starttls|encryption|unknown mail transport|mail transport unavailable|mx (?:\S+ ){0,3}(?:points to|loops|resolve|lookup)|(?:all|no) (?:\S+ )?(?:relevant )?mx|no mx (?:found|record)|malformed or unexpected name server/i,
  },
  {
    id: 'words.system',
    name: 'system',
    words:
      /local (?:error|configuration)|configuration (?:error|problem)|(?:internal|system|server|software|resource|i\/o|database|temporary) (?:\S+ ){0,2}(?:error|failure|problem|fault|config)|cannot (?:open|create|write|append|update|lock|allocate|exec)|can't (?:open|create|write|exec|lock)|command (?:died|failed|output)|service (?:is )?(?:not|temporarily|currently)? ?(?:available|unavailable)|out of memory|permission denied|unknown mailer error|temporar(?:y|ily)|upstream error|unable to (?:write|open|lock|fork|run)|fork|signal \d|pipe to|exit(?:ed)? with|table|queue file/i,
  },
];

/** Text about the recipient. */
export const RECIPIENT_RULES: readonly BounceRule[] = [
  {
    id: 'words.no-such-domain',
    name: 'no_such_domain',
    words:
      /(?:host|domain|mail server|host name|domain name|mx)\S*:? (?:\S+ ){0,6}(?:not (?:found|exist|known|resolve|be (?:found|resolved)|listed|valid)|(?:doesn't|does not|does n't) exist|unknown|invalid|non-?existent|no data|nxdomain|lookup fail)|(?:no such|unknown|invalid|bad|non-?existent|illegal) (?:host|domain|mail server|destination host|hostname|destination system|host\/domain)|unrouteable|unroutable|nxdomain|couldn't find (?:any|a) (?:host|mail|mx)|could not find (?:any|a) (?:host|mail|mx)|find a mail exchanger|name or service not known|no (?:mx|a|dns|mail exchanger)(?: or \S+)* (?:record|found|entry|host|server)|dns (?:domain|name|record)\S* (?:\S+ ){0,3}(?:not|does)|hosts? not found|domain lookup/i,
  },
  {
    id: 'words.mailbox-suspended',
    name: 'mailbox_disabled',
    isSoft: true,
    words:
      /(?:account|mailbox|user|address|recipient|compte|casilla|konto)\b.{0,60}(?:suspended|locked|frozen|on hold|bloqu|blocked|gesperrt)|(?:suspended|locked|frozen) (?:user|account|mailbox|recipient|address)/i,
    advice: 'The mailbox is suspended or locked. Try again in a few weeks; remove the address if the problem persists.',
  },
  {
    id: 'words.mailbox-disabled',
    name: 'mailbox_disabled',
    words:
      /(?:account|mailbox|user|address|recipient|e-?mail|profile|login|compte|id)\b.{0,60}(?:disabled|inactive|deactivated|discontinued|terminated|cancell?ed|(?<!dis)closed|dormant|desactivad|not (?:active|enabled|activated)|(?:been |is )expired)|\b(?:disabled|inactive|deactivated|expired|dormant|closed|terminated) (?:user|account|mailbox|recipient|address|e-?mail)|no longer (?:accept|receiv|active|available|in use|in service|on|valid|work|monitored|used)|no longer (?:\S+ ){0,2}(?:mail|address)|address (?:has been )?(?:retired|removed)/i,
  },
  {
    id: 'words.moved',
    name: 'moved',
    words:
      /(?:has|user|recipient|mailbox|address) (?:\S+ ){0,2}moved|moved to|address (?:has )?changed|user not local|please (?:try|forward|use) <|has been replaced|new (?:e-?mail )?address/i,
  },
  {
    id: 'words.bad-address',
    name: 'bad_address',
    words:
      /(?:malformed|illegal|syntactically|badly formed|bad) (?:\S+ ){0,2}(?:address|recipient|alias|mailbox)|(?:address|recipient|mailbox) (?:\S+ ){0,3}(?:syntax|format|malformed|illegal|ambiguous)|syntax (?:error )?(?:in|of|not)? ?(?:\S+ )?(?:address|recipient|mailbox)|unknown or illegal alias|mailbox name not allowed|user (?:name )?ambiguous/i,
  },
  {
    id: 'words.unknown-user',
    name: 'unknown_user',
    words:
      /(?:user|recipient|mailbox|mail ?box|address|account|alias|person|member|customer|e-?mail|inbox|addressee|destination|login|name|subscriber|local part|forward\S*|entry|box)\S{0,3}\b.{0,80}?(?:unknown|(?:not|n't) (?:be )?(?:a |an |the |our |in |currently |on )?(?:found|exist|known|listed|valid|recogni[sz]ed|here|registered|recorded|available|local|user|match|have|our|customer|correct|directory|database|hosted|defined|located|active user|subscribed|identif)|(?:doesn't|does not|no longer|do not|did not|don't|didn't) (?:exist|have|match|appear|work(?! out)|belong)|invalid|non-?existent|unavailable|undeliverable|unbekannt|inconnu|desconocid|inexist|sconosciut|onbekend|bad address|address rejected:? user)/i,
  },
  {
    id: 'words.no-such-user',
    name: 'unknown_user',
    words:
      /(?:no such|unknown|invalid|non-?existent|nonexistent|not a valid|no valid|no|wrong|bad|undefined|unrecogni[sz]ed|unresolved|not a known|not our|there is no|isn't a|is not a(?:n active)?) (?:\S+ ){0,2}?(?:user(?:id|name)?|recipient|mailbox|mail ?box|address|account|local|person|addressee|alias|customer|member|maildrop|e-?mail|destination|name|one|id|login|subscriber|inbox|matches|entry|record|directory|host\/user)s?\b|does ?n[o']t exist|not (?:our|a) customer|no account|no mailbox|not listed in|not found in|user doesn|recipnotfound|nosuchuser|userunknown|unknown: |we have no|could ?n[o']t find (?!(?:an?|any|the) (?:gateway|route|path|way))|can(?:'t|not) find (?!(?:an?|any|the) (?:gateway|route|path|way))|who\?|no one (?:here|by)|mailbox (?:not found|unavailable)|adressee? unknown|has no mailbox|not at this (?:host|domain|address)|recipient address rejected\W*(?:\(in reply to rcpt|$)/i,
  },
  {
    id: 'words.other-language',
    name: 'unknown_user',
    words:
      /(?:benutzer|empf[äa]nger|adresse|postfach|usuario|usu[áa]rio|destinat[aá]rio|utilisateur|destinataire|utente|casella|direcci[óo]n|endere[çc]o).{0,60}(?:unbekannt|existiert nicht|nicht (?:gefunden|vorhanden)|no existe|n[ãa]o existe|inconnu|n'existe pas|desconocid|desconhecid|sconosciut|inesistente|inexist|introuvable|non trovat)|(?:ユーザー?|宛先|宛て先|アドレス|受信者|ディレクトリ|メールボックス).{0,60}(?:見つか[りっ]|存在し(?:ま|な)|ありません|不明|登録されて(?:いま|おりま|な))|(?:用户|用戶|收件人|邮箱|地址).{0,20}(?:不存在|未找到|未知|无效)|(?:пользовател|получател|адрес|ящик).{0,60}(?:не (?:существует|найден|известен|зарегистрирован)|неизвест)|(?:사용자|수신자|계정|주소).{0,40}(?:존재하지|없습니다|찾을 수 없)/i,
  },
];

/** Used if no other rule matches. */
export const POLICY_RULES: readonly BounceRule[] = [
  {
    id: 'words.policy',
    name: 'policy',
    words:
      /policy|not (?:allowed|permitted|authori[sz]ed|accepted|acceptable)|access denied|prohibited|administrative|restrict|refused|denied|rejected|permission|unauthori[sz]ed|security|prohibit|blocked/i,
  },
];
