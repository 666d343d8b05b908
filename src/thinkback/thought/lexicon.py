"""Word lists of English inflection and function words, with the commonest of French, German, Spanish and others.

Written for this package. A list is a string of words; the sets are built once, on import, from constants.
"""

from __future__ import annotations

__all__ = [
    "LIGHT",
    "SAYING",
    "AUXILIARIES",
    "BE_FORMS",
    "DETERMINERS",
    "IRREGULAR",
    "KEEP",
    "PREPOSITIONS",
    "STOP_WORDS",
    "SUBORDINATING",
    "TIME_NOUNS",
]

_STOP = """
a an the this that these those such same own
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves who whom whose which what where when why how whoever whichever
am is are was were be been being do does did doing have has had having will would shall should can could may might
must ought let and or nor but so yet if then else than as because since though although while whereas unless until whether
of in on at by for with about against between into through during before after above below to from up down out off over
under again further once here there via per upon within without across along among around towards toward onto
not no n't never cannot don't doesn't didn't isn't aren't wasn't weren't won't wouldn't can't couldn't shouldn't hasn't
haven't hadn't
i'm i've i'd i'll you're you've you'd you'll he's he'd he'll she's she'd she'll it's it'd it'll we're we've we'd we'll
they're they've they'd they'll that's there's what's who's let's
also too very just quite rather even still already any some all both each every few more most much many other others
another only else ever thus hence therefore however moreover furthermore indeed actually really basically yes oh well
d s t ll ve re m pre co
le la les un une des du de et ou mais que qui dont ne pas est sont a ont dans par pour sur avec ce cette ces il elle ils
elles nous vous se sa son ses leur leurs au aux en y plus
der die das den dem ein eine einen einem einer eines und oder aber dass ist sind war waren wird werden hat haben nicht
kein keine mit von zu zum zur im am auf fur bei nach aus als auch sich es er sie wir ihr
el los las una unos unas lo al del y o pero con por para es son fue ha han no su sus como mas
"""

_IRREGULAR = """
be:am,is,are,was,were,been,being have:has,had,having do:does,did,done go:goes,went,gone say:said,says see:saw,seen
take:took,taken get:got,gotten make:made give:gave,given find:found think:thought tell:told become:became show:shown
leave:left feel:felt bring:brought begin:began,begun keep:kept hold:held write:wrote,written,writing stand:stood
hear:heard mean:meant meet:met run:ran pay:paid sit:sat speak:spoke,spoken lie:lay,lain,lying lead:led grow:grew,grown
lose:lost fall:fell,fallen send:sent build:built understand:understood draw:drew,drawn break:broke,broken
spend:spent rise:rose,risen drive:drove,driven buy:bought wear:wore,worn choose:chose,chosen seek:sought throw:threw,thrown
catch:caught deal:dealt win:won,winning teach:taught eat:ate,eaten fly:flew,flown forget:forgot,forgotten sell:sold
know:knew,known come:came sing:sang,sung swim:swam,swum drink:drank,drunk bind:bound bear:bore,born,borne
fight:fought hide:hid,hidden ride:rode,ridden shake:shook,shaken shoot:shot sleep:slept steal:stole,stolen
strike:struck swear:swore,sworn tear:tore,torn wake:woke,woken weave:wove,woven withdraw:withdrew,withdrawn
undergo:underwent,undergone overcome:overcame freeze:froze,frozen feed:fed bend:bent lend:lent spin:spun stick:stuck
hang:hung dig:dug light:lit bite:bit,bitten blow:blew,blown forgive:forgave,forgiven arise:arose,arisen
use:used,using,uses die:died,dying,dies tie:tied,tying age:aged,aging,ageing owe:owed,owing add:added,adding
plan:planned,planning set:setting put:putting cut:cutting let:letting quit:quitting,quitted hit:hitting
man:men woman:women child:children person:people,persons mouse:mice foot:feet tooth:teeth goose:geese
wife:wives half:halves leaf:leaves knife:knives shelf:shelves
criterion:criteria phenomenon:phenomena analysis:analyses hypothesis:hypotheses thesis:theses basis:bases
index:indices,indexes matrix:matrices vertex:vertices datum:data medium:media bacterium:bacteria curriculum:curricula
good:better,best bad:worse,worst far:farther,further
big:bigger,biggest large:larger,largest small:smaller,smallest high:higher,highest low:lower,lowest
fast:faster,fastest slow:slower,slowest long:longer,longest short:shorter,shortest early:earlier,earliest
late:later,latest old:older,oldest new:newer,newest young:younger,youngest great:greater,greatest few:fewer,fewest
little:less,least strong:stronger,strongest weak:weaker,weakest cheap:cheaper,cheapest hard:harder,hardest
easy:easier,easiest heavy:heavier,heaviest light:lighter,lightest near:nearer,nearest wide:wider,widest
deep:deeper,deepest rich:richer,richest poor:poorer,poorest warm:warmer,warmest cold:colder,coldest hot:hotter,hottest
tall:taller,tallest thick:thicker,thickest thin:thinner,thinnest simple:simpler,simplest safe:safer,safest
happy:happier,happiest close:closer,closest quick:quicker,quickest
january:jan february:feb march:mar april:apr august:aug september:sep,sept october:oct november:nov december:dec
monday:mon tuesday:tue,tues wednesday:wed thursday:thu,thur,thurs friday:fri saturday:sat
color:colour center:centre fiber:fibre meter:metre,metres liter:litre,litres behavior:behaviour labor:labour
favor:favour favorite:favourite neighbor:neighbour tumor:tumour program:programme analyze:analyse gray:grey
theater:theatre defense:defence license:licence catalog:catalogue modeling:modelling labeled:labelled
"""

_KEEP = """
supply reply family imply multiply assembly anomaly early daily weekly monthly yearly comply rely italy july ally bully
jelly belly evening morning thing nothing something anything everything during ceiling wedding building string spring
hundred seed feed speed need breed weed indeed exceed succeed proceed red bed species series news lens gas bus
always perhaps less business analysis basis physics mathematics economics
"""


def _irregular() -> dict[str, str]:
    table = {}
    for entry in _IRREGULAR.split():
        lemma, forms = entry.split(":")
        table.update(dict.fromkeys(forms.split(","), lemma))
    return table


STOP_WORDS = frozenset(_STOP.split())
IRREGULAR = _irregular()
KEEP = frozenset(_KEEP.split())
PREPOSITIONS = frozenset(
    "of in on at by for with about against between into through during before after above below to from over under "
    "via per upon within without across along among around towards toward onto than as since until because despite "
    "like near unlike off out up down while when where unless if although though once whereas".split()
)
"""Words that govern what follows; a few conjunctions are among them, since what follows plays no part in the rest."""
SUBORDINATING = frozenset("when while because since until unless if although though before after once whereas".split())
"""Conjunctions whose whole clause, to the next pause, says when or why."""
DETERMINERS = frozenset(
    "the a an this that these those my your his her its our their some any no each every all both which who he she it "
    "they we i you".split()
)
AUXILIARIES = frozenset(
    "am is are was were be been being do does did has have had will would shall should can could may might must "
    "isn't aren't wasn't weren't don't doesn't didn't hasn't haven't hadn't won't can't cannot couldn't".split()
)
BE_FORMS = frozenset("am is are was were be been being get gets got isn't aren't wasn't weren't".split())
TIME_NOUNS = frozenset(
    "today yesterday tomorrow night morn evening afternoon day week month year hour minut second winter summer spring "
    "autumn mon tue wed thu fri saturday sunday sat sun last next annual daily weekly monthly yearly time".split()
)
"""As stems: a bare one says when, not who."""
LIGHT = frozenset(
    "mak giv tak hav get use do keep go becom bring put com lead hold show find perform carry caus obtain reach "
    "own possess receiv occur exist happen contain compris consist includ item thing fact way level process valu".split()
)
"""As stems: words that often only carry another ("gave its approval" is "approved")."""
SAYING = frozenset(
    "mention say stat not feel think enjoy want lik lov talk discuss believ acknowledg appreciat".split()
)
"""As stems: verbs that tell how a fact was put, not what it is."""
