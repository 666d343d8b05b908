"""Words of the same and of opposite meaning, by stem, and short phrases that stand for one word.

Written for this package, and small on purpose: words share a line only if one can replace the other in a plain
statement of fact without changing it. Words with many senses (set, run, hold, charge) are left out.
"""

from __future__ import annotations

import re
from functools import cache

from thinkback.thought.words import stem

__all__ = ["antonyms", "derived", "opposed", "same_word", "single_words", "synonyms"]

_SAME = """
buy purchase acquire
begin start commence
end finish conclude complete done
stop cease halt discontinue end
show demonstrate reveal indicate exhibit
prove confirm verify
use employ utilise utilize apply
choose pick select opt
get obtain gain receive
need require necessitate
help assist aid
try attempt
allow permit enable let
forbid prohibit ban disallow
keep retain maintain preserve stay remain
make create produce generate
build construct
repair fix mend
change alter modify
replace substitute swap
remove delete erase eliminate
add append
send transmit dispatch
ask request inquire
answer reply respond response
tell inform notify
say state mention note remark
explain clarify
describe depict
suggest recommend advise propose
decide determine
think believe consider
find discover detect identify locate
search seek
see observe notice
watch view see
look appear seem
hear learn
meet encounter
travel trip journey
leave depart
arrive reach
move relocate
live reside
stay remain
happen occur
cause trigger provoke induce
increase rise grow climb raise
decrease fall drop decline reduce lower lowers lowered shrink diminish lessen cut
improve enhance boost better
worsen deteriorate degrade impair
strengthen reinforce
shut close closed
cancel abort
postpone delay defer
reschedule move shift
restart reboot
update refresh renew
connect link attach
separate split divide
combine merge join unite
include contain comprise
exclude omit
give provide supply offer
give hand
teach instruct
train training
test evaluate assess evaluation examine
measure quantify
compare contrast
compute calculate
estimate approximate
predict forecast
analyse analyze investigate study examine explore
label annotate tag
classify categorise categorize
name call title
publish release issue
present show display introduce
launch release
own possess
like enjoy love
dislike hate
want wish hope desire
plan intend
fear worry
beat defeat outperform surpass exceed
hurt injure harm
cure heal
sick ill
illness disease sickness
doctor physician
hospital clinic
medicine drug medication
child kid
baby infant
man guy
woman lady
mother mom mum
father dad
grandmother grandma
grandfather grandpa
friend buddy pal
couple pair
house home
flat apartment
car automobile
bike bicycle
lorry truck
film movie
photo picture image photograph
job post position work employment
boss manager supervisor
employee worker
company firm business enterprise
shop store
customer client buyer
money cash
price cost
salary wage pay
holiday vacation
autumn fall
pupil student
teacher instructor
exam test
error mistake fault
bug defect
problem issue trouble difficulty
solution fix
method approach technique
algorithm procedure
result outcome finding
effect impact influence
affect influence impact
reason cause
goal aim objective purpose target
task assignment
part portion component piece
kind type sort
way manner
place location site
area region zone
town city
street road
country nation
start beginning onset
amount quantity
number count
size magnitude
speed rate velocity
time duration
quick fast rapid swift
slow sluggish
big large huge
small little tiny
important significant crucial essential key vital
main primary principal chief
different distinct
same identical equal
similar alike comparable
new novel
old aged
cheap inexpensive
expensive costly
easy simple straightforward
hard difficult challenging tough
correct right accurate
wrong incorrect false erroneous
whole entire complete full
empty vacant
enough sufficient adequate suffice
common frequent widespread prevalent
rare uncommon infrequent
often frequently
always constantly
sometimes occasionally
usually normally typically generally
almost nearly
about roughly approximately around
because since due owing
also additionally too
however but
very extremely highly really
quickly rapidly fast
happy glad pleased delighted
sad unhappy upset
angry mad furious
scared afraid frightened
tired exhausted weary
excited thrilled
beautiful lovely pretty gorgeous
interesting fascinating
inspiring inspirational moving
powerful strong potent
rich wealthy
safe secure
dangerous hazardous risky
clever smart intelligent
famous renowned well-known
mean average
motorbike motorcycle
rain rainfall
talk negotiation
get win obtain
house home
mandatory obligatory compulsory
rear back
laboratory lab
quiet silent
argue claim maintain
visit attend
noisy loud
robust resilient
stable steady
automatic automatically
manual manually
independent independently separate separately
annual yearly
association link correlation relation relationship connection
correlate associate
participant subject
trial experiment
dataset data corpus
paper article publication
author writer
abstract summary
document file
word term
question query
network net
accuracy precision
memory storage
latency delay
code software source
licence license
email e-mail mail
phone telephone
internet web
website site
screen display
device unit appliance
power energy
committee board panel
meeting session conference
budget fund funding
approve accept endorse approval
reject refuse decline deny
agree consent
disagree differ
discuss debate
attend join participate
marry wed
wife spouse
husband spouse
talk speak discuss chat
support back
encourage motivate
realise realize recognise recognize understand
remember recall
organise organize arrange
prepare ready
clean tidy
cook prepare
paint draw
write compose
secondary high
tall high
several some various multiple
many numerous
chance opportunity
goal objective
hobby pastime
trip tour
sea ocean
forest wood
stone rock
gift present
party celebration
wedding marriage
kind nice friendly
brave courageous
calm peaceful relaxed relaxing
relax unwind
stress pressure
mental psychological
feel sense
accept embrace
express convey
special unique
favourite favorite preferred
hurry rush
continue proceed carry
rent hire lease
invoice bill
refund reimburse reimbursement
deliver ship
parcel package
warranty guarantee
manufacture produce
factory plant
equipment gear
tool instrument
aircraft plane airplane
ship vessel
engine motor
inhibit suppress block
express expression
tumour tumor
mouse mice
mortality death
dose dosage
binding bind
mutation mutant
deficiency lack absence
elevated high increased
reduced low decreased
regulate control modulate
promote facilitate foster
prevent avoid avert
protect shield
depend rely
vary differ
detect identify
assume suppose
ensure guarantee
achieve reach attain
exceed surpass
limit restrict restriction limitation
extend expand
convert transform
store save
train teach
"""

_OPPOSITE = """
increase,rise,grow,climb,raise,gain/decrease,fall,drop,decline,reduce,lower,lowers,lowered,shrink,diminish,lessen,cut accelerate/decelerate
more/less more/fewer high/low large/small,little big/small,little long/short fast,faster,quick,rapid/slow
accelerate/slow early/late old/new old/young young/aged good/bad strong/weak strengthen/weaken hard/easy easy/difficult
improve,enhance,boost/worsen,deteriorate,degrade,impair win/lose gain/lose succeed/fail pass/fail success/failure
accept,approve,agree/reject,refuse,decline,deny allow,permit,enable/forbid,prohibit,prevent,ban include/exclude,omit
included/excluded open/close,shut begin,start/end,stop,finish,quit,cease arrive,come/leave,depart
push/pull
add/remove,delete insert/delete connect/disconnect attach/detach enable/disable activate/deactivate,inhibit
activate/suppress promote,facilitate/inhibit,suppress,prevent upregulate/downregulate induce/inhibit,suppress
present/absent presence/absence with/without before/after above/below over/under up/down on/off in/out inside/outside
first/last maximum/minimum most/least top/bottom upper/lower left/right north/south east/west front/back
positive/negative correct,right/incorrect,wrong true/false safe/unsafe,dangerous stable/unstable,unstabl accurate/inaccurate
possible/impossible able/unable known/unknown equal/unequal,different same,identical/different similar/different
active/inactive complete/incomplete sufficient/insufficient available/unavailable visible/invisible
significant/insignificant expected/unexpected happy/unhappy,sad like,love,enjoy/dislike,hate legal/illegal
public/private internal/external input/output direct/indirect linear/quadratic,exponential local/global dense/sparse
labelled,labeled/unlabelled,unlabeled supervised/unsupervised manual/automatic hot/cold warm/cool,cold wet/dry
hot/cool light/heavy light/dark thick/thin wide/narrow deep/shallow full/empty rich/poor cheap,inexpensive/expensive,costly
clean/dirty strong/mild loud,noisy/quiet,silent alive/dead live/die healthy/sick,ill rural/urban indoor/outdoor
common,frequent/rare,uncommon often,frequently,always/rarely,seldom,never always/sometimes,never
male/female man/woman boy/girl father/mother brother/sister son/daughter uncle/aunt king/queen
morning/evening pre/post day/night summer/winter spring/autumn weekday/weekend weekly/daily,monthly,yearly monthly/yearly,daily
monday/tuesday,wednesday,thursday,friday,saturday,sunday past/future ancient/modern temporary/permanent
benign/malignant acute/chronic adult/child mature/immature major/minor primary/secondary dominant/recessive
support/oppose support/refute,contradict confirm/refute,disprove keep,retain/lose,discard,delete save/waste,lose
stay,remain/leave,go stay/lose remain/lose obey/violate defend/attack attack/defend hire/fire
"""

_PHRASES = """
took up|start;take up|start;takes up|start;taken up|start;prior to|before;or newer|and later;or higher|and later;or above|and later;and newer|and later;and above|and later;in force|valid;hand over|give;handed over|gave;hands over|gives;pass on|give;passed on|gave;no longer|stop;shuts off|stops;shut off|stop;give up|quit;gave up|quit;given up|quit;giving up|quit;gives up|quit;set up|establish;carry out|perform;carried out|perform
thanks to|because;because of|because;due to|because;owing to|because;as a result of|because
by itself|automatically;on its own|automatically;at all times|always;all the time|always;no later than|within
find out|discover;found out|discover;turn on|enable;turned on|enable;switch on|enable;switched on|enable;switches on|enable
turn off|disable;turned off|disable;switch off|disable;switched off|disable;get rid of|remove;got rid of|remove
speed up|accelerate;speeds up|accelerate;sped up|accelerate;slow down|decelerate;slows down|decelerate;slowed down|decelerate
get to know|meet;got to know|meet;look for|seek;looking for|seek;looked for|seek;point out|mention;pointed out|mention
made available|released;makes available|releases;make available|release;make sure|ensure;made sure|ensure
in order to|to;as well as|and;along with|with;together with|with;a lot of|many;lots of|many;a number of|several;plenty of|many
take part in|attend;took part in|attend;takes part in|attend;put off|postpone;call off|cancel;called off|cancel
take place|occur;took place|occur;takes place|occur;deal with|handle;come up with|invent;came up with|invent
depend on|need;consists of|comprise;consist of|comprise;made up of|comprise;is able to|can;are able to|can;was able to|could
be able to|can;close to|near;next to|near;older than|over;younger than|under;hand in|submit;fill in|complete;throw away|discard
high school|secondary school;each other|them;one another|them;so far|yet;at once|immediately;right away|immediately
every year|yearly;each year|yearly;every month|monthly;each month|monthly;every day|daily;each day|daily;every week|weekly
degrees celsius|\u00b0C;degree celsius|\u00b0C;on holiday|vacation;by hand|manually
turned out|prove;in charge of|responsible;led to|cause;leads to|cause;lead to|cause;resulted in|cause;results in|cause
taking care of|care;take care of|care;takes care of|care;look after|care;looks after|care;such as|like;for example|like
"""

_DERIVED = (
    "isation", "ization", "ation", "ition", "ement", "ment", "ance", "ence", "ness", "ity", "ion", "ive", "al", "er",
    "or", "ist", "ian", "ful", "ant", "ent", "ic", "y", "at", "iv",
)  # fmt: skip
_LEAST_ROOT = 4
_NEGATIVE_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "mis")


@cache
def _same() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for line in _SAME.strip().splitlines():
        group = {stem(word) for word in line.split()}
        for one in group:
            table.setdefault(one, set()).update(group - {one})
    return {one: frozenset(others) for one, others in table.items()}


@cache
def _opposite() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for pair in _OPPOSITE.split():
        left, right = ({stem(word) for word in side.split(",")} for side in pair.split("/"))
        for one in left:
            table.setdefault(one, set()).update(right)
        for one in right:
            table.setdefault(one, set()).update(left)
    return {one: frozenset(others) for one, others in table.items()}


@cache
def _phrases() -> tuple[re.Pattern[str], dict[str, str]]:
    entries = [entry.split("|") for line in _PHRASES.strip().splitlines() for entry in line.split(";")]
    table = {phrase: single for phrase, single in entries}
    pattern = "|".join(re.escape(phrase) for phrase in sorted(table, key=len, reverse=True))
    return re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), table


def single_words(text: str) -> str:
    """Return the text with phrases put as one word ("gave up" as "quit"); offsets are those of the new text."""
    pattern, table = _phrases()
    return pattern.sub(lambda match: table[match.group().casefold()], text)


def synonyms(one: str) -> frozenset[str]:
    """Return the other stems that mean the same as a stem."""
    return _same().get(one, frozenset())


def antonyms(one: str) -> frozenset[str]:
    """Return the stems that mean the opposite of a stem."""
    return _opposite().get(one, frozenset())


@cache
def derived(one: str) -> str:
    """Return what is left of a stem without its derivational ending: "approval" and "approve" share a root.

    Roots have four letters at least; shorter words and those that are not plain letters stay as they are.
    """
    if not (one.isascii() and one.isalpha()):
        return one
    for ending in _DERIVED:
        if one.endswith(ending) and len(one) - len(ending) >= _LEAST_ROOT:
            root = one[: -len(ending)]
            return root[:-1] if len(root) > _LEAST_ROOT and root[-1] == root[-2] else root
    return one


def same_word(one: str, other: str) -> bool:
    """Tell whether two stems are one word in two forms, or synonyms."""
    if one == other or other in synonyms(one):
        return True
    if opposed(one, other):
        return False
    root, other_root = derived(one), derived(other)
    return root == other_root or other_root in synonyms(root) or other in synonyms(root) or other_root in synonyms(one)


def opposed(one: str, other: str) -> bool:
    """Tell whether two stems mean the opposite: listed, or one is the other with un-, in-, dis- or non- before it."""
    if other in antonyms(one):
        return True
    longer, shorter = (one, other) if len(one) > len(other) else (other, one)
    return any(longer == prefix + shorter for prefix in _NEGATIVE_PREFIXES) and len(shorter) >= _LEAST_ROOT
